"""A readable document in twelve short sections, for the demo and for a small model."""

TITLE = "The Lamp at Carrow Point"

SECTIONS = [
    (
        "The Rock",
        "Carrow Point is a finger of black rock that reaches half a mile into the northern sea. At high tide it is "
        "an island; at low tide a careful person can walk out to it over wet stone. In the winter of 1861 three "
        "ships were lost there in one month. The people of the village carried forty sailors up the beach, and "
        "most of them were dead. In spring the harbour board met in the church, because no other room was large "
        "enough, and decided that a lighthouse must be built before the next winter came.",
    ),
    (
        "The Builder",
        "The board chose a young engineer named Hannah Reid. She had built bridges in the south, but never a tower "
        "in the sea. She spent two weeks on the rock with a notebook, measuring where the waves broke. Then she "
        "drew a tower with a wide foot and a narrow neck, like the trunk of an oak. Every stone was to be cut so "
        "that it locked into its neighbours. The older engineers said that the shape was strange. Hannah answered "
        "that the sea had already tested it on every tree that grew near the shore.",
    ),
    (
        "The First Summer",
        "Work was possible for only four hours each day, between one tide and the next. Thirty men rowed out at "
        "dawn, cut holes for the first ring of stones, and rowed back before the water returned. Twice the sea "
        "carried all their tools away. Hannah ordered iron rings to be set into the rock, and every hammer was "
        "tied to a ring with rope. By September the first nine rings of stone stood above the high-water mark. The "
        "men painted the date on the highest stone and went home for the winter.",
    ),
    (
        "The Storm",
        "The worst storm in thirty years came in November. For three days nobody could see the rock at all. When "
        "the clouds lifted, the whole village walked to the beach. The huts and the crane had gone, and so had the "
        "landing stage, but all nine rings of stone were still there. A fisherman rowed Hannah out to look. She "
        "found a single crack, thin as a hair, in one stone of the lowest ring. She wrote in her notebook that the "
        "tower would stand, and that the landing stage should be built on the other side.",
    ),
    (
        "The Light",
        "The tower was finished in its third summer. It was forty metres high and had one hundred and ninety-six "
        "steps. The lamp came from France in eleven wooden boxes, packed in straw. Its lens was taller than a man "
        "and made of hundreds of pieces of glass, each ground to its own angle. A clockwork motor turned the lens "
        "once a minute. On the first of October 1864 the lamp was lit for the first time, and ships thirty "
        "kilometres away could see two white flashes, a pause, and two white flashes again.",
    ),
    (
        "The First Keeper",
        "The first keeper was Thomas Bell, who had been a ship's carpenter until he lost two fingers. He lived in "
        "the tower with his wife Ellen and a grey cat. Each evening he wound the motor, trimmed the wick and "
        "cleaned the glass. Each morning he wrote one line in the log: the wind, the weather and the ships that he "
        "had seen. In twenty-two years he missed no entry. On the day his daughter was born the line says: wind "
        "from the west, clear, nine ships, one girl.",
    ),
    (
        "The Night of the Fog",
        "In March 1879 a fog lay on the sea for five nights, so thick that the lamp could not be seen from the "
        "foot of its own tower. Ellen Bell heard a steamer's whistle where no steamer should be. She took the iron "
        "lid of the stove and a hammer, climbed to the gallery and struck the lid, twice, with a pause, and twice "
        "again, as the lamp would have flashed. She did so for six hours. The captain of the steamer understood "
        "the signal and turned away. There were two hundred people on board.",
    ),
    (
        "The Bell and the Horn",
        "After that night the harbour board paid for a real fog bell. It weighed half a ton and was lifted to the "
        "gallery in a calm week of June. Ten years later a horn driven by compressed air took its place, and it "
        "could be heard fifteen kilometres away. The village did not love the horn. Cows gave less milk on foggy "
        "days, and the schoolmaster complained that nobody could do sums. But from that year until the horn fell "
        "silent, not one ship was lost on Carrow Point.",
    ),
    (
        "The Years of War",
        "During both wars the lamp was dark, and was lit only when the navy asked for it by telephone. The keeper "
        "then was Margaret Bell, the granddaughter of Thomas. She kept the motor wound every evening all the same, "
        "so that the lamp could be shown within a minute. On one night in 1942 she was asked to light it for "
        "exactly eight minutes. She never learned why. After the war a letter came from a convoy captain, who "
        "thanked the keeper for eight minutes that had saved his ships.",
    ),
    (
        "Electric Light",
        "In 1956 a cable was laid along the sea floor, and an electric bulb replaced the oil lamp. The bulb was no "
        "larger than a pear, yet with the old lens it could be seen farther than before. The clockwork motor was "
        "taken out and given to the school. The children learned to wind it, and it turned a small model of the "
        "solar system in the hall. The keeper no longer had to carry oil up one hundred and ninety-six steps, and "
        "said that for the first time in his life he was growing fat.",
    ),
    (
        "The Last Keeper",
        "In 1988 the light was made automatic. A small computer watched the bulb and changed it for a spare one "
        "when it failed. The last keeper, Ian Moffat, closed the log with a line of his own: wind from the north, "
        "clear, four ships, no keeper. He moved into a cottage from which he could see the tower. Every evening at "
        "dusk he still looked out of the window and counted: two flashes, a pause, two flashes. Only then did he "
        "draw the curtains and put the kettle on.",
    ),
    (
        "The Tower Today",
        "Today visitors can walk to the tower at low tide with a guide. They see the crack in the lowest ring, "
        "which has not grown by the width of a hair in all these years, and the stove lid with the marks of "
        "Ellen's hammer. The notebook of Hannah Reid lies open under glass at the page about the oak tree. "
        "Upstairs the French lens still turns. On clear nights people from the village sit on the beach and wait, "
        "as people have done for more than a century, for two flashes, a pause, and two flashes again.",
    ),
]

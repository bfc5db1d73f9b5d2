"""Texts in many languages and pages of HTML, for tests."""

GERMAN = "Über den Dächern der Stadt lag früher Nebel, und die Größe der Häuser ließ sich schwer schätzen."
FRENCH = "Voix ambiguë d'un cœur qui, au zéphyr, préfère les jattes de kiwis à l'âme plutôt naïve."
SPANISH = "La cigüeña tocaba el saxofón detrás del palenque; ¿qué más? El niño comió piñas."
SWEDISH = "Flygande bäckasiner söka hwila på mjuka tuvor, och små grodorna är lustiga att se."
POLISH = "Pójdźże, kiń tę chmurność w głąb flaszy! Zażółć gęślą jaźń."
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy."
RUSSIAN = "Ранним утром над городом стоял туман, и высоту домов было трудно определить."
GREEK = "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία, και η πόλη κοιμάται ακόμα."
CHINESE = (
    "小明每天早上七点起床，先刷牙洗脸，然后吃早饭，去学校上课。他最喜欢的科目是数学和物理。"
    "周末的时候他常常和朋友们一起踢足球，或者去图书馆看书。"
)
TRADITIONAL = "小明每天早上七點起床，先刷牙洗臉，然後吃早飯，去學校上課。他最喜歡的科目是數學和物理。"
JAPANESE = (
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
    "何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。"
)
KOREAN = "모든 국민은 인간으로서의 존엄과 가치를 가지며, 행복을 추구할 권리를 가진다."
# Twenty characters, as in a short note.
SHORT_CHINESE = "今天天气很好我们一起去公园散步吧好不好呢"
SHORT_JAPANESE = "今日は天気がいいので公園へ散歩に行こう。"
MIXED_CHINESE = "Python 3.12 发布了，包含 many new features 和改进。"
# ’ and the letter after it are one character in Shift-JIS.
APOSTROPHES = "It’s a test, don’t you know? We’re here – “all” of us."
# Read two by two, these bytes are Chinese.
BUSH = "Bush hid the facts"
EMOJI = "Family 👨‍👩‍👧‍👦, flag 🇩🇪, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢"


def page(body: str, *, title: str = "", head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def plane_1_page() -> bytes:
    """UTF-16 without a byte order mark, with characters that take two code units."""
    letters = "".join(map(chr, range(0x10300, 0x10300 + 127)))
    return page(f"<h1>Old Italic</h1><p>{letters}</p>", title="Plane 1").encode("utf-16-le")

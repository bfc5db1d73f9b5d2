// The submission form of whichever kind: what its fields and its document need, and one task for two clicks.

import { DocumentChoice } from "./document.js";
import { bringToLife, focusWhatIsWrong } from "./fields.js";

const form = document.getElementById("submit");
const buttons = [...form.querySelectorAll("[data-sending]")];
const labels = new Map(buttons.map((button) => [button, button.textContent]));
const choice = form.querySelector("#drop") ? new DocumentChoice(form) : null;
let sending = false;

bringToLife(form);
focusWhatIsWrong(form);

form.addEventListener("submit", (event) => {
  if (sending || (choice && !choice.accept())) {
    event.preventDefault();
    if (!sending) choice.focus();
    return;
  }
  sending = true;
  // A button that is disabled at once does not send its value.
  setTimeout(() => setSending(event.submitter), 0);
});

// Back from the task page: the form is alive again.
addEventListener("pageshow", () => {
  sending = false;
  for (const button of buttons) {
    button.disabled = false;
    button.textContent = labels.get(button);
  }
});

function setSending(pressed) {
  for (const button of buttons) button.disabled = true;
  if (pressed?.dataset.sending) pressed.textContent = pressed.dataset.sending;
}

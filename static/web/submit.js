// The submission form: drop zone, early refusal of what is too large, and one task for two clicks.

const form = document.getElementById("submit");
const zone = document.getElementById("drop");
const input = document.getElementById("id_file");
const chosen = document.getElementById("chosen");
const wrong = document.getElementById("file-wrong");
const button = form.querySelector("button.main");
const limit = Number(form.dataset.maxBytes);
const invitation = chosen.textContent;
const sending = button.dataset.sending;
const label = button.textContent;

zone.dataset.ready = "";
zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.dataset.over = ""; });
zone.addEventListener("dragleave", () => { delete zone.dataset.over; });
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  delete zone.dataset.over;
  if (!event.dataTransfer.files.length) return;
  const one = new DataTransfer();
  one.items.add(event.dataTransfer.files[0]);
  input.files = one.files;
  look();
});
// A file dropped beside the zone must not replace the page.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => event.preventDefault());
input.addEventListener("change", look);

for (const radio of form.querySelectorAll('[name="preset"]')) radio.addEventListener("change", needed);

form.addEventListener("submit", (event) => {
  if (button.disabled || !acceptable()) {
    event.preventDefault();
    if (!button.disabled) input.focus();
    return;
  }
  button.disabled = true;
  button.textContent = sending;
});
// Back from the task page: the form is alive again.
addEventListener("pageshow", () => {
  button.disabled = false;
  button.textContent = label;
  look();
  needed();
});

function look() {
  const file = input.files[0];
  chosen.textContent = file ? `${file.name} · ${size(file.size)}` : invitation;
  zone.toggleAttribute("data-chosen", Boolean(file));
  if (file) acceptable();
}

function acceptable() {
  const problem = problemOf(input.files[0]);
  wrong.textContent = problem;
  wrong.hidden = !problem;
  zone.toggleAttribute("data-wrong", Boolean(problem));
  input.setAttribute("aria-invalid", String(Boolean(problem)));
  return !problem;
}

function problemOf(file) {
  if (!file) return "Choose a file first.";
  if (file.size > limit) return `“${file.name}” has ${size(file.size)}. A file may have ${size(limit)} at most.`;
  if (file.size === 0) return `“${file.name}” is empty. Choose a file with text in it.`;
  return "";
}

function needed() {
  const preset = form.elements.preset.value;
  form.elements.language.required = preset === "translate";
  form.elements.instruction.required = preset === "own";
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} KB`;
  return `${Number((bytes / 1024 ** 2).toFixed(1))} MB`;
}

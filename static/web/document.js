// The document of a submission: the drop zone, early refusal of what cannot be taken, and the choice of an earlier one.

const MEGABYTE = 1024 ** 2;

export class DocumentChoice {
  #form;
  #zone;
  #input;
  #chosen;
  #hint;
  #wrong;

  constructor(form) {
    this.#form = form;
    this.#zone = form.querySelector("#drop");
    this.#input = form.querySelector("#id_file");
    this.#chosen = form.querySelector("#chosen");
    this.#hint = form.querySelector("#file-hint");
    this.#wrong = form.querySelector("#id_file_error");
    this.#zone.dataset.ready = "";
    // Here it is judged by words of our own.
    this.#input.required = false;
    this.#listen();
    this.#show();
  }

  // Says what is wrong, if something is, and whether nothing is.
  accept() {
    const problem = this.#problem();
    this.#wrong.textContent = problem;
    this.#wrong.hidden = !problem;
    this.#zone.parentElement.toggleAttribute("data-wrong", Boolean(problem));
    this.#input.setAttribute("aria-invalid", String(Boolean(problem)));
    return !problem;
  }

  focus() {
    this.#input.focus();
  }

  #listen() {
    const over = (on) => (event) => { event.preventDefault(); this.#zone.toggleAttribute("data-over", on); };
    this.#zone.addEventListener("dragover", over(true));
    this.#zone.addEventListener("dragleave", over(false));
    this.#zone.addEventListener("drop", (event) => { over(false)(event); this.#drop(event.dataTransfer.files); });
    // A file dropped beside the zone must not replace the page.
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => event.preventDefault());
    this.#input.addEventListener("change", () => this.#took());
    for (const one of this.#earlier) one.addEventListener("change", () => this.#tookEarlier());
    addEventListener("pageshow", () => this.#show());
  }

  get #earlier() {
    return [...this.#form.querySelectorAll('[name="document"]')];
  }

  get #earlierName() {
    return this.#earlier.find((one) => one.checked)?.parentElement.querySelector(".name").textContent;
  }

  #drop(files) {
    if (!files.length) return;
    const one = new DataTransfer();
    one.items.add(files[0]);
    this.#input.files = one.files;
    this.#took();
  }

  #took() {
    for (const one of this.#earlier) one.checked = false;
    this.#show();
    if (this.#input.files.length) this.accept();
  }

  #tookEarlier() {
    this.#input.value = "";
    this.#show();
    this.accept();
  }

  #show() {
    const file = this.#input.files[0];
    const name = file ? `${file.name} · ${size(file.size)}` : this.#earlierName;
    this.#chosen.textContent = name ?? this.#chosen.dataset.invitation;
    this.#hint.textContent = name ? this.#hint.dataset.instead : this.#hint.dataset.sorts;
    this.#zone.toggleAttribute("data-chosen", Boolean(name));
  }

  #problem() {
    const file = this.#input.files[0];
    const limit = Number(this.#zone.dataset.maxBytes);
    if (!file) return this.#earlierName ? "" : "Choose a file first.";
    if (file.size > limit) return `“${file.name}” has ${size(file.size)}. A file may have ${size(limit)} at most.`;
    return file.size === 0 ? `“${file.name}” is empty. Choose a file with text in it.` : "";
  }
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < MEGABYTE) return `${Math.round(bytes / 1024)} KB`;
  return `${Number((bytes / MEGABYTE).toFixed(1))} MB`;
}

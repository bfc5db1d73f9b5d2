// The results in the page: each step once, in the order of its index, and never replaced by an older version of itself.

import { pageLabel, setText, words } from "./words.js";

export class Steps {
  #list;
  #none;
  #template;
  #unit;
  #shown = new Map();
  #after;

  constructor({ list, none, template, unit }) {
    this.#list = list;
    this.#none = none;
    this.#template = template;
    this.#unit = unit;
    this.#after = Number(list.dataset.after);
    for (const element of list.children) this.#shown.set(Number(element.dataset.index), element);
  }

  put(step) {
    // A page that begins further down keeps its beginning.
    if (step.index <= this.#after) return;
    const known = this.#shown.get(step.index);
    if (known && Number(known.dataset.version) >= step.version) return;
    const element = known ?? this.#insert(step.index);
    this.#fill(element, step);
    this.#showOrHide();
  }

  clear() {
    this.#shown.clear();
    this.#list.replaceChildren();
    this.#showOrHide();
  }

  // Takes away what does not count, unless it is newer than the version that said so.
  keep(counting, version) {
    for (const [index, element] of this.#shown) {
      if (counting.has(index) || Number(element.dataset.version) > version) continue;
      element.remove();
      this.#shown.delete(index);
    }
    this.#showOrHide();
  }

  get beginsAfter() {
    return this.#after;
  }

  // The last index before the first one that is missing or failed: what comes after it may still change.
  get settledUpTo() {
    let index = this.#after + 1;
    while (this.#shown.get(index)?.dataset.status === "succeeded") index += 1;
    return index - 1;
  }

  get firstFailed() {
    return this.#list.querySelector('li[data-status="failed"]');
  }

  #insert(index) {
    const element = this.#template.content.firstElementChild.cloneNode(true);
    element.id = `step-${index}`;
    element.dataset.index = index;
    // Most come in order: look from the end.
    let before = this.#list.lastElementChild;
    while (before && Number(before.dataset.index) > index) before = before.previousElementSibling;
    if (before) before.after(element);
    else this.#list.prepend(element);
    this.#shown.set(index, element);
    return element;
  }

  #fill(element, step) {
    element.dataset.version = step.version;
    element.dataset.status = step.status;
    element.toggleAttribute("data-side", !step.is_item);
    const slot = (name) => element.querySelector(`[data-slot="${name}"]`);
    const optional = (name, text) => { setText(slot(name), text); slot(name).hidden = !text; };
    setText(slot("label"), this.#label(step));
    setText(slot("time"), `${step.duration_seconds.toFixed(1)} s`);
    optional("place", this.#place(step));
    optional("reason", step.error?.message ?? "");
    optional("text", textOf(step));
    slot("truncated").hidden = !step.truncated;
    slot("cut").hidden = !(step.is_item && step.cut);
  }

  #label(step) {
    if (!step.is_item) return words.steps[step.name] ?? step.name;
    return this.#unit === "page" && step.pages ? pageLabel(step.pages) : `Part ${step.index}`;
  }

  #place(step) {
    return step.is_item && this.#unit !== "page" && step.pages ? pageLabel(step.pages) : "";
  }

  #showOrHide() {
    this.#list.hidden = this.#shown.size === 0;
    this.#none.hidden = this.#shown.size > 0;
  }
}

// Of a step that is no item, and of an item that failed, nothing is shown.
function textOf(step) {
  if (!step.is_item || step.status === "failed") return "";
  if (step.text) return step.text;
  return step.value === null ? "" : JSON.stringify(step.value, null, 2);
}

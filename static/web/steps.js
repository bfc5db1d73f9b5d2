// The results in the page: each step once, in the order of its index, and never replaced by an older version of itself.

import { setText, span, words } from "./words.js";

export class Steps {
  #list;
  #none;
  #template;
  #unit;
  #shown = new Map();
  #after;
  #others;

  constructor({ list, none, template, unit }) {
    this.#list = list;
    this.#none = none;
    this.#template = template;
    this.#unit = unit;
    this.#after = Number(list.dataset.after);
    this.#others = Number(list.dataset.others);
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
    const isAbove = step.whole && step.status !== "failed";
    element.dataset.version = step.version;
    element.dataset.status = step.status;
    element.toggleAttribute("data-side", !step.is_item);
    element.toggleAttribute("data-above", isAbove);
    setText(slotOf(element, "label"), this.#label(step));
    setText(slotOf(element, "time"), `${step.duration_seconds.toFixed(1)} s`);
    optional(element, "place", this.#place(step));
    fillTexts(element, isAbove ? { ...step, truncated: false, cut: false } : step, isAbove ? words.above : saidBy(step));
    const unread = unreadOf(step).map(listItem);
    slotOf(element, "unread").replaceChildren(...unread);
    slotOf(element, "unread").hidden = unread.length === 0;
  }

  #label(step) {
    if (!step.is_item) return words.steps[step.name] ?? step.name;
    if (step.parts) return `${span("Page", step.pages) || span("Part", step.parts)} together`;
    return (this.#unit !== "chunk" && span("Page", step.pages)) || `Part ${this.#number(step.index)}`;
  }

  #place(step) {
    return step.is_item && this.#unit === "chunk" ? span("Page", step.pages) : "";
  }

  // The place of an item among the items, from 1. Other steps before it are finished before it begins.
  #number(index) {
    const others = [...this.#list.querySelectorAll(":scope > [data-side]")];
    return index + 1 - this.#others - others.filter((one) => Number(one.dataset.index) < index).length;
  }

  #showOrHide() {
    this.#list.hidden = this.#shown.size === 0;
    this.#none.hidden = this.#shown.size > 0;
  }
}

const slotOf = (root, name) => root.querySelector(`[data-slot="${name}"]`);

function optional(root, name, text) {
  setText(slotOf(root, name), text);
  slotOf(root, name).hidden = !text;
}

// Into a view of a step: why there is no answer, or the answer, and whether it is cut.
export function fillTexts(root, step, text) {
  optional(root, "reason", step.error?.message ?? "");
  optional(root, "text", text);
  slotOf(root, "truncated").hidden = !step.truncated;
  slotOf(root, "cut").hidden = !(step.is_item && step.cut);
}

// Of a step that is no item, and of an item that failed, nothing is shown.
export function saidBy(step) {
  if (!step.is_item || step.status === "failed") return "";
  if (step.text || step.value === null) return step.text ?? "";
  return typeof step.value === "string" ? step.value : JSON.stringify(step.value, null, 2);
}

// Of a step that read a document: the pages that gave no text, and why.
function unreadOf(step) {
  const pages = step.name === "unread" ? step.value?.unread : null;
  return (pages ?? []).map((page) => `${span("Page", page.pages)}: ${page.error}`);
}

function listItem(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

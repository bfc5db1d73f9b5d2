// The answer about the whole document, above the answers for its parts.

import { fillTexts, saidBy } from "./steps.js";
import { noWhole, setText } from "./words.js";

export class Whole {
  #card;

  constructor(card) {
    this.#card = card;
  }

  put(step) {
    if (!step.whole || Number(this.#card.dataset.version) >= step.version) return;
    this.#card.dataset.version = step.version;
    this.#card.dataset.index = step.index;
    fillTexts(this.#card, step, saidBy(step));
  }

  clear() {
    this.#card.dataset.version = 0;
    this.#card.dataset.index = "";
    for (const slot of this.#card.querySelectorAll("[data-slot]")) slot.hidden = true;
  }

  // As Steps.keep does.
  keep(counting, version) {
    const { index, version: own } = this.#card.dataset;
    if (index !== "" && !counting.has(Number(index)) && Number(own) <= version) this.clear();
  }

  show(task) {
    const none = this.#card.querySelector('[data-slot="none"]');
    const isThere = this.#card.dataset.index !== "";
    setText(none, isThere ? "" : noWhole(task));
    none.hidden = none.textContent === "";
    this.#card.hidden = !isThere && none.hidden;
  }
}

// The list of a task's attempts, as the server renders it (tasks_app/web/shown_attempts.py). It is fetched anew when
// an attempt began or ended, and only where there are several.

import { getJson } from "./live.js";
import { duration, localTimes, number, setText, words } from "./words.js";

export class Attempts {
  #root;
  #list;
  #template;
  #shown;

  constructor(root, task) {
    this.#root = root;
    this.#list = root.querySelector("ol");
    this.#template = root.querySelector("template");
    this.#shown = stateOf(task);
  }

  async show(task) {
    setText(this.#root.querySelector("[data-slot=number-of-attempts]"), number(task.attempt_number));
    const wanted = stateOf(task);
    if (task.attempt_number < 2 || wanted === this.#shown) return;
    this.#shown = wanted;
    try {
      this.#fill((await getJson(`/api/tasks/${task.id}/attempts`)).items);
    } catch {
      // With the next change.
      this.#shown = "";
    }
  }

  #fill(attempts) {
    this.#list.replaceChildren(...attempts.map((attempt) => this.#row(attempt)));
    localTimes(this.#list);
    this.#root.hidden = attempts.length < 2;
  }

  #row(attempt) {
    const row = this.#template.content.firstElementChild.cloneNode(true);
    const part = (name) => row.querySelector(`[data-part="${name}"]`);
    setText(part("number"), number(attempt.number));
    setText(part("end"), end(attempt));
    setText(part("counted"), counted(attempt));
    part("counted").hidden = !attempt.counts;
    part("begun").dateTime = attempt.started_at;
    setText(part("took"), took(attempt));
    return row;
  }
}

const stateOf = (task) => `${task.attempt_number} ${task.status}`;

function end(attempt) {
  const outcome = attempt.outcome ?? "none";
  const said = (attempt.counts && words.outcomes[`${outcome}-counted`]) || words.outcomes[outcome];
  return words.reasoned.includes(outcome) && attempt.text ? `${said}: ${attempt.text}` : said;
}

function counted({ counts }) {
  return counts ? words.counted[counts.as].replace("{number}", counts.number).replace("{of}", counts.of) : "";
}

function took({ started_at: from, finished_at: to }) {
  return to ? `, ${duration((Date.parse(to) - Date.parse(from)) / 1000)}` : "";
}

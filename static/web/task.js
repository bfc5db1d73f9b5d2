// The page of one task. Every change is applied by version: what comes late or twice changes nothing.

import { Attempts } from "./attempts.js";
import { Live, getJson } from "./live.js";
import { overrun } from "./overrun.js";
import { Steps } from "./steps.js";
import { Whole } from "./whole.js";
import {
  canDoWhole, counted, duration, isFinal, isHopeless, isUncounted, localTimes, nameOf, needsPassword, number, percent,
  retryLabel, scratchButton, scratchCost, sentence, setText, spending, stateOf, usesModel, waitingText, words,
} from "./words.js";

const STEPS_AT_ONCE = 100;

const panel = document.getElementById("task");
const mark = document.getElementById("live");
const more = document.getElementById("more");
const slots = Object.fromEntries([...panel.querySelectorAll("[data-slot]")].map((slot) => [slot.dataset.slot, slot]));
const serverAhead = Date.parse(panel.dataset.now) - Date.now();

let task = JSON.parse(document.getElementById("task-data").textContent);
// The last version that was heard of: a socket is asked for what came after it.
let heard = task.version;
const steps = new Steps({
  list: document.getElementById("steps"),
  none: document.getElementById("none-yet"),
  template: document.getElementById("step"),
  unit: task.input.unit,
});
const whole = new Whole(document.getElementById("whole"));
const attempts = new Attempts(document.getElementById("attempts"), task);
const api = `/api/tasks/${task.id}`;

function show() {
  const state = stateOf(task);
  slots.state.dataset.state = slots.bar.dataset.state = state;
  setText(slots.state, words.states[state]);
  setText(slots.sentence, sentence(task));
  setText(slots.message, state === "running" ? task.progress.message : "");
  note(slots.error, task.error?.message);
  note(slots.waiting, waitingText(task));
  slots.waiting.dataset.reason = task.waiting?.reason ?? "";
  showNumbers();
  showActions();
  showElapsed();
  showNoResults();
  attempts.show(task);
  whole.show(task);
  document.getElementById("results-hint").hidden = isFinal(task);
  mark.hidden ||= isFinal(task);
  const far = isFinal(task) || !task.progress.total ? words.states[state] : `${percent(task)} %`;
  document.title = `${far} · ${nameOf(task)}`;
}

function showNumbers() {
  const { calls, prompt_tokens: read, completion_tokens: written } = task.usage;
  slots.bar.value = percent(task);
  slots.bar.hidden = slots.amount.hidden = isUncounted(task);
  setText(slots.counted, counted(task) || "Not counted yet");
  setText(slots.percent, task.progress.total && !isFinal(task) ? `${percent(task)} %` : "");
  slots["calls-fact"].hidden = slots["tokens-fact"].hidden = !usesModel(task);
  slots["attempts-fact"].hidden = isFinal(task);
  setText(slots.attempts, `${task.attempts} of ${task.max_attempts}`);
  setText(slots.calls, number(calls));
  setText(slots.tokens, `${number(read)} in, ${number(written)} out`);
  note(slots.spending, spending(task));
  slots["failed-fact"].hidden = !task.failed_items;
  setText(slots.failed, number(task.failed_items));
  const first = steps.firstFailed;
  if (first) slots.failed.href = `#${first.id}`;
}

function showActions() {
  slots["can-cancel"].hidden = !task.can.cancel;
  slots["can-retry"].hidden = !task.can.retry;
  slots["can-scratch"].hidden = !task.can.retry || isHopeless(task) || !task.started_at;
  slots.password.hidden = !needsPassword(task);
  slots.another.hidden = !isHopeless(task) || needsPassword(task);
  if (slots["can-do-whole"]) slots["can-do-whole"].hidden = !canDoWhole(task);
  slots.retry.className = isHopeless(task) ? "plain" : "main";
  setText(slots.retry, retryLabel(task));
  slots["can-download"].hidden = !task.can.download;
  setText(slots["download-label"], words.downloads[isFinal(task) ? task.status : "active"]);
  setText(slots["scratch-cost"], scratchCost(task));
  setText(slots.scratch, scratchButton(task));
}

function showNoResults() {
  const further = steps.beginsAfter >= 0 ? "further" : null;
  setText(document.getElementById("none-yet"), words.noResults[further ?? (isFinal(task) ? "final" : "active")]);
}

function showElapsed() {
  setText(slots["elapsed-label"], isFinal(task) ? "Took" : "Elapsed");
  const now = Date.now() + serverAhead;
  note(slots.overrun, overrun(task, now));
  if (!task.started_at) return setText(slots.elapsed, "–");
  const until = task.finished_at ? Date.parse(task.finished_at) : now;
  return setText(slots.elapsed, duration((until - Date.parse(task.started_at)) / 1000));
}

function note(element, text) {
  setText(element, text ?? "");
  element.hidden = !text;
}

function takeTask(newer) {
  // The same version may come again: a waiting task's place in its queue moves although its row does not.
  if (newer.version < task.version) return;
  task = newer;
  show();
}

function takeFrame({ type, version, data }) {
  if (type === "step") {
    put(data);
    heard = Math.max(heard, version);
    if (data.status === "failed") showNumbers();
    return;
  }
  if (type === "snapshot") {
    // All that counts comes again after it.
    steps.clear();
    whole.clear();
    more?.parentElement.remove();
    heard = version;
  }
  heard = Math.max(heard, version);
  takeTask(data);
}

function put(step) {
  steps.put(step);
  if (!step.whole) return;
  whole.put(step);
  whole.show(task);
}

async function poll() {
  const newer = await getJson(api);
  if (newer.version <= task.version) {
    takeTask(newer);
    return false;
  }
  const settled = (one) => one.progress.done + one.failed_items;
  // At an end, and after a start from scratch, steps that were shown may no longer count.
  if (isFinal(newer) || isFinal(task) || settled(newer) < settled(task)) await loadAll(newer.version);
  else await loadSteps(steps.settledUpTo, Infinity);
  heard = Math.max(heard, newer.version);
  takeTask(newer);
  return true;
}

async function loadAll(version) {
  const counting = new Set();
  await loadSteps(steps.beginsAfter, Infinity, counting);
  steps.keep(counting, version);
  whole.keep(counting, version);
  more?.parentElement.remove();
}

// Puts what comes after an index, page by page; says the last index, or null when there is no more.
async function loadSteps(after, pages, seen = new Set()) {
  for (let page = 0; page < pages; page += 1) {
    const from = after < 0 ? "" : `&after=${after}`;
    const { items, next } = await getJson(`${api}/steps?limit=${STEPS_AT_ONCE}${from}`);
    items.forEach((step) => { put(step); seen.add(step.index); });
    if (next === null) return null;
    after = next;
  }
  return after;
}

function loadMoreWhenSeen(button) {
  let loading = false;
  const load = async () => {
    if (loading) return;
    loading = true;
    try {
      const last = await loadSteps(Number(button.dataset.after), 1);
      if (last === null) return button.parentElement.remove();
      button.dataset.after = last;
    } catch {
      // The button stays, and is a link.
      return undefined;
    } finally {
      loading = false;
    }
    return undefined;
  };
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && load()).observe(button);
  button.addEventListener("click", (event) => { event.preventDefault(); load(); });
}

function showMark(name) {
  mark.dataset.mark = name;
  mark.hidden = isFinal(task) && name === "live";
  setText(mark, words.marks[name]);
}

localTimes(document);
show();
if (more) loadMoreWhenSeen(more);
setInterval(() => document.hidden || isFinal(task) || showElapsed(), 1000);
new Live({ socketPath: () => `/ws/tasks/${task.id}/?after=${heard}`, poll, onFrame: takeFrame, onMark: showMark });

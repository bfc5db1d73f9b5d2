// The list of tasks, kept up to date. New tasks come on top of the newest page; rows change in place.

import { Live, getJson } from "./live.js";
import { counted, inLocalTime, localTimes, nameOf, percent, setText, stateOf, waitingText, what, words } from "./words.js";

const list = document.getElementById("tasks");
const empty = document.getElementById("empty");
const template = document.getElementById("row");
const mark = document.getElementById("live");
const isNewest = list.dataset.newest === "1";
const rows = new Map([...list.children].map((row) => [row.dataset.id, row]));

function take(task) {
  const row = rows.get(task.id) ?? insert(task);
  if (!row || Number(row.dataset.version ?? 0) > task.version) return false;
  const changed = Number(row.dataset.version ?? 0) !== task.version;
  fill(row, task);
  return changed;
}

// Ids grow with time. What belongs below the last row is on an older page.
function insert(task) {
  const last = list.lastElementChild;
  if (!isNewest || (last && task.id < last.dataset.id)) return null;
  const row = template.content.firstElementChild.cloneNode(true);
  row.dataset.id = task.id;
  const below = [...list.children].find((other) => other.dataset.id < task.id);
  list.insertBefore(row, below ?? null);
  rows.set(task.id, row);
  list.hidden = false;
  empty.hidden = true;
  return row;
}

function fill(row, task) {
  const slot = (name) => row.querySelector(`[data-slot="${name}"]`);
  const state = stateOf(task);
  row.dataset.version = task.version;
  setText(slot("name"), nameOf(task));
  slot("name").href = `/tasks/${task.id}/`;
  slot("name").title = nameOf(task);
  setText(slot("what"), what(task));
  setText(slot("state"), words.states[state]);
  slot("state").dataset.state = slot("bar").dataset.state = state;
  slot("bar").value = percent(task);
  slot("bar").setAttribute("aria-label", `Progress of ${nameOf(task)}`);
  setText(slot("counted"), counted(task));
  setText(slot("waiting"), waitingText(task));
  slot("waiting").hidden = Boolean(counted(task)) || !task.waiting;
  if (slot("when").dateTime !== task.created_at) {
    slot("when").dateTime = task.created_at;
    localTimes(row);
  }
}

function takeFrame({ type, data }) {
  if (type === "snapshot") takeAll(data.items);
  else take(data);
}

// From the oldest, so that an empty list takes them all.
const takeAll = (items) => items.toReversed().map(take).some(Boolean);

const poll = async () => takeAll((await getJson("/api/tasks?limit=50")).items);

function showMark(name) {
  mark.dataset.mark = name;
  mark.hidden = false;
  setText(mark, words.marks[name]);
}

localTimes(document);
for (const waiting of list.querySelectorAll('[data-slot="waiting"]')) setText(waiting, inLocalTime(waiting.textContent));
new Live({ socketPath: () => "/ws/tasks/", poll, onFrame: takeFrame, onMark: showMark });

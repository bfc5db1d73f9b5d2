// What the page says of a task that does not stop when it should, as the server does (tasks_app/web/overrun.py).

import { words } from "./words.js";

const MARGIN_MS = 1000;
const PATIENCE_MS = 10000;

// A sentence, or nothing. `now`: of the server's clock, in ms.
export function overrun(task, now) {
  if (task.status !== "running" || !task.attempt_started_at) return "";
  const limitAt = Date.parse(task.attempt_started_at) + task.attempt_timeout_seconds * 1000;
  const past = (moment, ms) => moment && now > Date.parse(moment) + ms;
  const say = (sentence) => sentence.replace("{limit}", task.attempt_timeout_seconds.toFixed());
  if (past(task.deadline_at, MARGIN_MS)) return words.overruns.deadline;
  if (now > limitAt + MARGIN_MS) return say(words.overruns.limit);
  return past(task.cancel_requested_at, PATIENCE_MS) ? say(words.overruns.stop) : "";
}

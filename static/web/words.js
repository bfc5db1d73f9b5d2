// The same sentences that the server renders; the vocabulary itself comes from the page (web/words.py).

export const words = JSON.parse(document.getElementById("words").textContent);

const FINAL = new Set(["succeeded", "failed", "cancelled"]);

export const isFinal = (task) => FINAL.has(task.status);

export function stateOf(task) {
  if (task.status === "running" && task.stopping) return "stopping";
  if (task.status === "succeeded" && task.failed_items > 0) return "partly";
  return task.status;
}

const hasResults = (task) => task.progress.done > 0;

export function sentence(task) {
  if (task.waiting && task.started_at) return words.begun;
  const failure = task.status === "failed" && words.failures[task.error.code];
  const said = failure || words.waits[task.waiting?.reason] || words.sentences[stateOf(task)];
  const mayBeKept = task.status === "failed" || task.status === "cancelled";
  return mayBeKept && hasResults(task) ? `${said} ${words.kept}` : said;
}

// The same input can never succeed: another file can.
export const isHopeless = (task) => task.error?.code === "invalid_input";

export const needsPassword = (task) => isHopeless(task) && task.error.message.includes(words.locked);

// Only some pages were asked for, and there is something that may make one want the rest.
export const canDoWhole = (task) => Boolean(task.input.pages && task.document && isFinal(task) && hasResults(task));

export const usesModel = (task) => task.queue === "gpu" || task.usage.calls > 0;

// Instead of the answer about the whole; nothing where none is to be expected.
export function noWhole(task) {
  if (task.input.unit !== "whole" || (isFinal(task) && !hasResults(task))) return "";
  return words.whole[isFinal(task) ? "final" : "active"];
}

// Over, with no parts that could be counted.
export const isUncounted = (task) => isFinal(task) && !task.progress.total;

export function retryLabel(task) {
  if (hasResults(task)) return words.retries.missing;
  return words.retries[task.started_at ? "again" : "start"];
}

export function scratchCost({ scratch, usage, progress, fresh }) {
  const told = [scratch?.calls ? paid(scratch) : words.scratch.again];
  if (progress.done > 0) told.unshift(words.scratch.thrown);
  if (usage.reused && !fresh) told.push(several(words.reused, usage.reused));
  return told.join(" ");
}

function paid({ calls, prompt_tokens: read, completion_tokens: written }) {
  const tokens = about(read + written);
  const said = words.scratch[tokens ? "paid" : "unknown"].replace("{calls}", several(words.calls, calls));
  return said.replace("{tokens}", number(tokens));
}

// What the numbers of calls and tokens do not tell, as far as there is any.
export function spending({ usage }) {
  const told = Object.entries(words.spending).filter(([name]) => usage[name]);
  return told.map(([name, forms]) => several(forms, usage[name])).join(" · ");
}

// The form for one, or that for several with their number in it.
const several = (forms, count) => (count === 1 ? forms[0] : forms[1].replace("{n}", number(count)));

// Two digits of it: more would promise too much.
function about(count) {
  const step = 10 ** Math.max(0, String(count).length - 2);
  return Math.floor((count + Math.floor(step / 2)) / step) * step;
}

export const scratchButton = (task) => words.scratchButtons[hasResults(task) ? "some" : "none"];

export function counted(task) {
  const { done, total } = task.progress;
  if (!total) return "";
  return `${number(done)} of ${number(total)} ${words.units[task.input.unit || task.kind] ?? words.units.chunk}`;
}

// For the bar: empty while nothing is known; one with gaps is done and not full.
export function percent(task) {
  const { done, total, percent: known } = task.progress;
  return stateOf(task) === "partly" ? Math.floor((100 * done) / total) : (known ?? 0);
}

// "Summary · about the whole · pages 1-3"; of a task without a document, its kind.
export function what(task) {
  const { unit, pages } = task.input;
  if (!task.document) return task.kind;
  return [wish(task), words.each[unit] ?? "", pages ? pageRange(String(pages)) : ""].filter(Boolean).join(" · ");
}

function wish(task) {
  const { preset, language, instruction } = task.input;
  if (preset === "own") return instruction ?? "";
  const said = words.presets[preset] ?? titleOf(task);
  return preset === "translate" ? `${said} to ${language}` : said;
}

const pageRange = (pages) => (/^\d+$/.test(pages) ? `page ${pages}` : `pages ${pages}`);

const titleOf = (task) => words.kinds[task.kind] ?? task.kind;

export const nameOf = (task) => task.document?.name ?? titleOf(task);

export const number = (value) => value.toLocaleString("en");

export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value) => String(value).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

// "Page 3" or "Pages 3–5"; `numbers`: first and last.
export function span(word, numbers) {
  if (!numbers) return "";
  const [first, last] = numbers;
  return first === last ? `${word} ${first}` : `${word}s ${first}–${last}`;
}

// Times stand in the page as UTC; the reader's own clock is kinder.
export function localTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const today = at.toDateString() === new Date().toDateString();
    element.textContent = at.toLocaleString("en-GB", today
      ? { hour: "2-digit", minute: "2-digit" }
      : { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
    element.title = at.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "medium" });
  }
}

// A waiting text holds its time as "at [2026-01-31 ]08:05:09 UTC" or as "since ...", without a date when that is today's
// (UTC).
export function waitingText(task) {
  return task.waiting ? inLocalTime(task.waiting.text) : "";
}

export function inLocalTime(text) {
  return text.replace(/\b(at|since) (?:(\d{4}-\d{2}-\d{2}) )?(\d{2}:\d{2}:\d{2}) UTC/, (found, word, day, time) => {
    const at = new Date(`${day ?? new Date().toISOString().slice(0, 10)}T${time}Z`);
    if (Number.isNaN(at.getTime())) return found;
    const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
    const today = at.toDateString() === new Date().toDateString();
    return `${word} ${at.toLocaleString("en-GB", today ? clock : { day: "numeric", month: "short", ...clock })}`;
  });
}

// Writes only what differs, so that readers of a live region are not told twice.
export function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

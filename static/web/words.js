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
  const said = words.sentences[stateOf(task)];
  const mayBeKept = task.status === "failed" || task.status === "cancelled";
  return mayBeKept && hasResults(task) ? `${said} ${words.kept}` : said;
}

// The same input can never succeed: another file can.
export const isHopeless = (task) => task.error?.code === "invalid_input";

// Over, with no parts that could be counted.
export const isUncounted = (task) => isFinal(task) && !task.progress.total;

export function retryLabel(task) {
  if (hasResults(task)) return words.retries.missing;
  return words.retries[task.started_at ? "again" : "start"];
}

export function scratchCost(task) {
  const { total } = task.progress;
  const calls = total ? `${number(total)} model calls are` : "model calls are";
  const lost = hasResults(task) ? "The finished results are thrown away, and all" : "All";
  return `${lost} ${calls} made and paid again.`;
}

export const scratchButton = (task) => words.scratchButtons[hasResults(task) ? "some" : "none"];

export function counted(task) {
  const { done, total } = task.progress;
  if (!total) return "";
  return `${number(done)} of ${number(total)} ${words.units[task.input.unit] ?? words.units.chunk}`;
}

// For the bar: empty while nothing is known; one with gaps is done and not full.
export function percent(task) {
  const { done, total, percent: known } = task.progress;
  return stateOf(task) === "partly" ? Math.floor((100 * done) / total) : (known ?? 0);
}

export function what(task) {
  const { preset, language, instruction, unit } = task.input;
  const wish = preset === "own" ? instruction : (words.presets[preset] ?? task.kind);
  const translated = preset === "translate" ? `${wish} to ${language}` : wish;
  return unit ? `${translated} · ${words.each[unit] ?? ""}` : translated;
}

export const nameOf = (task) => task.document?.name ?? task.kind;

export const number = (value) => value.toLocaleString("en");

export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value) => String(value).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

export const pageLabel = ([first, last]) => (first === last ? `Page ${first}` : `Pages ${first}–${last}`);

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

// A waiting text holds its time as "at [2026-01-31 ]08:05:09 UTC", without a date when that is today's (UTC).
export function waitingText(task) {
  return task.waiting ? inLocalTime(task.waiting.text) : "";
}

export function inLocalTime(text) {
  return text.replace(/\bat (?:(\d{4}-\d{2}-\d{2}) )?(\d{2}:\d{2}:\d{2}) UTC/, (found, day, time) => {
    const at = new Date(`${day ?? new Date().toISOString().slice(0, 10)}T${time}Z`);
    if (Number.isNaN(at.getTime())) return found;
    const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
    const today = at.toDateString() === new Date().toDateString();
    return `at ${at.toLocaleString("en-GB", today ? clock : { day: "numeric", month: "short", ...clock })}`;
  });
}

// Writes only what differs, so that readers of a live region are not told twice.
export function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

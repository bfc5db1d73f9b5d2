// Keeps a view up to date: by a socket while one can be had, by polling while not.
// The caller decides what is newer; a frame or an answer that comes twice or late must do no harm.

const POLL_MS = 2000;
const POLL_HIDDEN_MS = 15000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30000;
// A socket that lived this long was a good one: the next delay begins small again.
const STEADY_MS = 5000;
// Nothing heard for this long: look whether the socket is deaf.
const SILENCE_MS = 30000;
const SIGNED_OUT = new Set([401, 403]);

export class Live {
  #options;
  #socket = null;
  #failures = 0;
  #retry = 0;
  #poll = 0;
  #polling = false;
  #over = false;
  #heard = Date.now();

  // socketPath: () => path; poll: async () => "newer" when rows changed (throws HttpError);
  // onFrame: (frame); onMark: ("live" | "reconnecting" | "polling" | "gone" | "signed-out").
  constructor(options) {
    this.#options = options;
    addEventListener("online", () => this.#hurry());
    addEventListener("pagehide", () => this.#socket?.close());
    addEventListener("pageshow", (event) => event.persisted && this.#hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake());
    setInterval(() => this.#listen(), SILENCE_MS / 3);
    this.#connect();
  }

  #connect() {
    if (this.#over) return;
    clearTimeout(this.#retry);
    const address = new URL(this.#options.socketPath(), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    let steady = 0;
    this.#socket = socket;
    socket.onopen = () => {
      steady = setTimeout(() => { this.#failures = 0; }, STEADY_MS);
      this.#heard = Date.now();
      this.#stopPolling();
      this.#options.onMark("live");
    };
    socket.onmessage = (event) => {
      this.#heard = Date.now();
      this.#options.onFrame(JSON.parse(event.data));
    };
    socket.onclose = () => {
      clearTimeout(steady);
      if (this.#socket === socket) this.#lost();
    };
  }

  #lost() {
    this.#socket = null;
    if (this.#over) return;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS) * (0.5 + Math.random());
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#connect(), delay);
    if (!this.#polling) {
      this.#options.onMark("reconnecting");
      this.#polling = true;
      // At once: whatever ended the socket, what was missed is shown, and a task that is gone is noticed.
      this.#pollOnce();
    }
  }

  #stopPolling() {
    this.#polling = false;
    clearTimeout(this.#poll);
  }

  #pollSoon() {
    clearTimeout(this.#poll);
    this.#poll = setTimeout(() => this.#pollOnce(), document.hidden ? POLL_HIDDEN_MS : POLL_MS);
  }

  async #pollOnce() {
    const answered = await this.#ask();
    if (!this.#polling || this.#over) return;
    this.#options.onMark(answered === null ? "reconnecting" : "polling");
    this.#pollSoon();
  }

  // Whether the rows were newer than what is shown; null when nothing could be learnt.
  async #ask() {
    try {
      return await this.#options.poll();
    } catch (error) {
      if (error.status === 404) this.#end("gone");
      if (SIGNED_OUT.has(error.status)) this.#end("signed-out");
      return null;
    }
  }

  async #listen() {
    if (!this.#isOpen() || document.hidden || Date.now() - this.#heard < SILENCE_MS) return;
    this.#heard = Date.now();
    if (await this.#ask()) this.#socket?.close();
  }

  #wake() {
    if (this.#isOpen()) this.#ask();
    else this.#hurry();
  }

  #hurry() {
    if (this.#over || this.#isOpen()) return;
    this.#failures = 0;
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.#connect();
    if (this.#polling) this.#pollOnce();
  }

  #isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #end(mark) {
    this.#over = true;
    this.#stopPolling();
    clearTimeout(this.#retry);
    this.#socket?.close();
    this.#options.onMark(mark);
  }
}

class HttpError extends Error {
  constructor(status) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

export async function getJson(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" }, cache: "no-store" });
  if (!answer.ok) throw new HttpError(answer.status);
  return answer.json();
}

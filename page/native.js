// The engine of the program that serves this page (`tusker serve`). It takes and posts the same
// messages as the worker (engine.js).

/** The type of the message that the program does not answer (any more). */
export const GONE = "gone";

const post = (url, body, signal) => fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });

export class Native {
  /** `base` is the address before the names of calls. */
  constructor(base) {
    this.base = base;
    /** Ends the run that proceeds. */
    this.run = new AbortController();
    this.all = new AbortController();
  }

  async postMessage({ id, name, argument, run }) {
    if (run) {
      this.run.abort();
      this.run = new AbortController();
    }
    const signal = run ? this.run.signal : this.all.signal;
    const tell = (message) => signal.aborted || this.onmessage({ data: { ...message, id } });
    try {
      const response = await post(new URL(name ?? "run", this.base), run ?? argument ?? {}, signal);
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      if (run) return await lines(response, tell);
      const answer = await response.json();
      tell({ type: "answer", ...(answer.error ? answer : { answer }) });
    } catch (error) {
      tell({ type: GONE, message: error.message });
    }
  }

  /** Ends the run: the program sees that nobody listens. */
  terminate() {
    this.run.abort();
    this.all.abort();
  }
}

/** Messages of a run, a line of JSON each. */
async function lines(response, tell) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = null;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const found = (rest + value).split("\n");
    rest = found.pop();
    for (const line of found) tell((last = message(JSON.parse(line))));
  }
  if (!["done", "error"].includes(last?.type)) throw new Error("the run was cut off");
}

/** Columns as the worker has them; JSON has no NaN. */
const message = (own) => (own.values ? { ...own, values: own.values.map((column) => Float64Array.from(column, (value) => value ?? NaN)) } : own);

// The engine from the page's side: one worker, replaced when something must stop.

/** A worker that has not answered for so long is ended when something else is to run. */
const PATIENCE_MS = 300;

/** Also from a server that does not know what .wasm is. */
async function compiled(where) {
  const response = await fetch(where);
  if (!response.ok) throw new Error(`engine.wasm: ${response.status} ${response.statusText}`);
  const known = response.headers.get("content-type")?.startsWith("application/wasm");
  return known ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  constructor(where) {
    this.module = compiled(where);
    this.calls = new Map();
    this.next = 1;
    this.run = null;
    this.begin();
  }

  begin() {
    this.worker = new Worker(new URL("engine.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.failed(event.message || "the engine could not be started");
    this.module.then((module) => this.worker.postMessage({ module })).catch((error) => this.failed(error.message));
    this.heardAt = performance.now();
  }

  failed(message) {
    const error = { message, place: "engine.wasm", expected: "the engine of this page", remedy: "load the page again; `make page` builds it" };
    this.run?.on.error?.(error);
    for (const { reject } of this.calls.values()) reject(error);
    this.calls.clear();
    this.run = null;
  }

  heard(data) {
    this.heardAt = performance.now();
    if (data.type === "answer") {
      const call = this.calls.get(data.id);
      this.calls.delete(data.id);
      if (data.error) call?.reject(data.error);
      else call?.resolve(data.answer);
      return;
    }
    // what an earlier run still had to say
    if (data.id !== this.run?.id) return;
    const { on } = this.run;
    if (data.type === "opened") on.opened?.(data.opened);
    if (data.type === "series") on.series?.(data);
    if (data.type === "done" || data.type === "error") this.run = null;
    if (data.type === "done") on.done?.(data.summary);
    if (data.type === "error") on.error?.(data.error);
  }

  /** A call that is answered at once: catalogue, law_curves, convert. */
  call(name, argument) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject, name, argument });
      this.worker.postMessage({ id, name, argument });
    });
  }

  /** Runs a scenario instead of what runs now; `how` has limits and the number of rows. */
  start(scenario, how, on) {
    const busy = this.run !== null && performance.now() - this.heardAt > PATIENCE_MS;
    if (busy) this.stop();
    this.run = { id: this.next++, on };
    this.worker.postMessage({ id: this.run.id, run: { scenario, ...how } });
  }

  /** Ends the worker with whatever it does. Calls that it had not answered are made again. */
  stop() {
    this.worker.terminate();
    this.run = null;
    this.begin();
    for (const [id, { name, argument }] of this.calls) this.worker.postMessage({ id, name, argument });
  }
}

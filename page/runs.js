// The engine from the page's side: the program that serves the page, if it says that it has one;
// else, or when that does not answer, a worker. Either is replaced when something must stop.

import { GONE, Native } from "./native.js";

/** A run that is superseded goes on for that long, so that a slider that moves shows something. */
const TURN_MS = 90;

/** A worker that takes longer to open a run is ended when another one waits. */
const PATIENCE_MS = 500;

/** Also from a server that does not know what .wasm is. */
async function compiled(where) {
  const response = await fetch(where);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const isWasm = response.headers.get("content-type")?.startsWith("application/wasm");
  return isWasm ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  /** The addresses of the module, and of the calls of the program that serves the page or null. */
  constructor(where, native) {
    Object.assign(this, { where, native });
    this.calls = new Map();
    this.next = 1;
    this.begin();
  }

  begin() {
    /** The run that waits for its turn, the one that the worker opens, and the one that proceeds. */
    this.wanted = null;
    this.opening = null;
    this.active = null;
    this.worker = this.native ? new Native(this.native) : this.hired();
    this.worker.onmessage = ({ data }) => this.heard(data);
  }

  hired() {
    const worker = new Worker(new URL("engine.js", import.meta.url), { type: "module" });
    worker.onerror = (event) => this.failed(event.message || "it could not be started");
    this.module ??= compiled(this.where);
    this.module.then((module) => worker.postMessage({ module })).catch((error) => this.failed(error.message));
    return worker;
  }

  /** Goes on without the program that serves the page. */
  leave(then) {
    this.left = "start `tusker serve` again, and open the address that it prints";
    this.native = null;
    this.stop(then);
  }

  failed(message) {
    const error = { message, place: "engine.wasm", expected: "", remedy: this.left ?? "load the page again; `make page` builds the engine" };
    (this.wanted ?? this.opening ?? this.active)?.on.error(error);
    for (const { reject } of this.calls.values()) reject(error);
    this.calls.clear();
    this.wanted = this.opening = this.active = null;
  }

  heard(data) {
    const { type, id } = data;
    if (type === GONE) return this.leave(this.wanted ?? this.opening ?? this.active);
    if (type === "answer") {
      const call = this.calls.get(id);
      this.calls.delete(id);
      return data.error ? call?.reject(data.error) : call?.resolve(data.answer);
    }
    const run = [this.opening, this.active].find((own) => own?.id === id);
    if (this.opening === run) this.opening = null;
    if (type === "opened") this.active = Object.assign(run, { since: performance.now() });
    if (type === "done" || type === "error") this.active = null;
    if (type === "opened") run?.on.opened(data.opened);
    if (type === "series") run?.on.series(data);
    if (type === "done") run?.on.done(data.summary);
    if (type === "error") run?.on.error(data.error);
    this.turn();
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
    this.wanted = { id: this.next++, scenario, how, on };
    // the program knows no law of the reader's
    if (this.native && scenario.own) return this.leave(this.wanted);
    this.turn();
    const stuck = this.opening;
    if (this.wanted && stuck) setTimeout(() => this.wanted && this.opening === stuck && this.stop(this.wanted), PATIENCE_MS);
  }

  turn() {
    if (!this.wanted || this.opening || (this.active && performance.now() - this.active.since < TURN_MS)) return;
    [this.opening, this.wanted] = [this.wanted, null];
    const { id, scenario, how } = this.opening;
    this.worker.postMessage({ id, run: { scenario, ...how } });
  }

  /** Ends the worker with whatever it does. Calls that it had not answered are made again. */
  stop(then = null) {
    this.worker.terminate();
    this.begin();
    for (const [id, { name, argument }] of this.calls) this.worker.postMessage({ id, name, argument });
    this.wanted = then;
    this.turn();
  }
}

// The worker that owns the engine (crates/tusker-page). It takes { id, name, argument } for a
// call and { id, run } for a run, which reports as it proceeds; a run ends when the next one
// is asked for. Whoever cannot wait for that ends the worker.

let engine = null;
let waiting = [];
let current = null;

/** A run proceeds for that long before the worker looks for messages. */
const BUDGET_MS = 25;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The bytes of an answer: its length in the upper 32 bits, its place in the lower. */
function taken(answer, read) {
  const [place, length] = [Number(answer & 0xffffffffn), Number(BigInt.asUintN(64, answer) >> 32n)];
  const result = read(engine.memory.buffer, place, length);
  engine.free(place, length);
  return result;
}

const json = (buffer, place, length) => JSON.parse(decoder.decode(new Uint8Array(buffer, place, length)));

function call(name, argument) {
  const input = encoder.encode(JSON.stringify(argument ?? {}));
  const place = engine.alloc(input.length);
  new Uint8Array(engine.memory.buffer, place, input.length).set(input);
  const answer = engine[name](place, input.length);
  engine.free(place, input.length);
  return taken(answer, json);
}

/** New values of a run as one array for each column. */
function advance(run, seconds) {
  return taken(engine.advance(run, seconds, BUDGET_MS), (buffer, place, length) => {
    const [rows, columns, t, done] = new Float64Array(buffer, place, 4);
    if (rows < 0) return json(buffer, place + 32, length - 32);
    const values = Array.from({ length: columns }, (_, column) => new Float64Array(buffer, place + 32 + 8 * rows * column, rows).slice());
    return { t, done: done === 1, values };
  });
}

/** Lets messages in that have come meanwhile. */
const breath = new MessageChannel();
breath.port1.onmessage = () => proceed();

function proceed() {
  if (!current) return;
  const { id, run, duration } = current;
  const part = advance(run, duration);
  if (part.error) {
    current = null;
    return postMessage({ type: "error", id, error: part.error });
  }
  postMessage({ type: "series", id, ...part }, part.values.map(({ buffer }) => buffer));
  if (!part.done) return breath.port2.postMessage(null);
  const summary = call("summary", { id: run });
  close();
  postMessage(summary.error ? { type: "error", id, error: summary.error } : { type: "done", id, summary });
}

function close() {
  call("close", { id: current.run });
  current = null;
}

function begin(id, { scenario, limits, rows }) {
  if (current) close();
  const opened = call("open", { scenario, limits, rows });
  if (opened.error) return postMessage({ type: "error", id, error: opened.error });
  current = { id, run: opened.id, duration: opened.duration_s };
  postMessage({ type: "opened", id, opened });
  proceed();
}

function answer({ id, name, argument, run }) {
  if (run) return begin(id, run);
  const found = call(name, argument);
  postMessage(found.error ? { type: "answer", id, error: found.error } : { type: "answer", id, answer: found });
}

onmessage = async ({ data }) => {
  if (data.module) {
    const instance = await WebAssembly.instantiate(data.module, { env: { now: () => performance.now() } });
    engine = instance.exports;
    waiting.splice(0).forEach(answer);
  } else if (engine) answer(data);
  else waiting.push(data);
};

// Runs scenarios in the WebAssembly module: `node run.mjs engine.wasm < inputs`, one input of
// `open` in each line; prints the summary of each, one JSON text in each line.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {
  env: { now: () => performance.now() },
});
const engine = instance.exports;

/** The bytes of an answer: its length in the upper 32 bits, its place in the lower. */
function taken(answer) {
  const number = BigInt.asUintN(64, answer);
  const [place, length] = [Number(number & 0xffffffffn), Number(number >> 32n)];
  const bytes = new Uint8Array(engine.memory.buffer, place, length).slice();
  engine.free(place, length);
  return bytes;
}

function call(name, text) {
  const input = new TextEncoder().encode(text);
  const place = engine.alloc(input.length);
  new Uint8Array(engine.memory.buffer, place, input.length).set(input);
  const answer = taken(engine[name](place, input.length));
  engine.free(place, input.length);
  return new TextDecoder().decode(answer);
}

function summary(input) {
  const { id, duration_s: duration, error } = JSON.parse(call("open", input));
  if (error) return JSON.stringify({ error });
  for (;;) {
    // now by simulated time, now by the clock
    const [rows, , , done] = new Float64Array(taken(engine.advance(id, duration / 3, 5)).buffer, 0, 4);
    if (rows < 0) return "advance failed";
    if (done) break;
  }
  const text = call("summary", String(id));
  call("close", String(id));
  return text;
}

for await (const input of createInterface({ input: process.stdin })) console.log(JSON.stringify(summary(input)));

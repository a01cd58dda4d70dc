// From text within the page to curves: the way back of crates/tusker-report/src/pack.rs.

const MISSING = 65535;
const STEPS = 65534;

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Fills in `values` of every curve of a panel; null where there is none. */
async function unpack(panel, count) {
  const bytes = await inflate(fromBase64(panel.data));
  panel.data = null;
  panel.curves.forEach((curve, number) => {
    const low = 2 * number * count;
    const high = low + count;
    const scale = (curve.high - curve.low) / STEPS;
    const values = new Float32Array(count);
    let step = 0;
    let gaps = false;
    for (let i = 0; i < count; i++) {
      const coded = bytes[low + i] | (bytes[high + i] << 8);
      step = (step + ((coded >>> 1) ^ -(coded & 1))) & 65535;
      values[i] = step === MISSING ? NaN : panel.y.log ? 10 ** (curve.low + step * scale) : curve.low + step * scale;
      gaps ||= step === MISSING;
    }
    curve.values = gaps ? Array.from(values, (value) => (Number.isNaN(value) ? null : value)) : values;
  });
}

/** Where the curves have values. */
function places(xs) {
  if (Array.isArray(xs)) return Float64Array.from(xs);
  return Float64Array.from({ length: xs.count }, (_, i) => xs.start + i * xs.step);
}

/** Smallest, largest and mean value of some curves at every place. */
function envelope(curves, count) {
  const low = new Float32Array(count).fill(Infinity);
  const high = new Float32Array(count).fill(-Infinity);
  const mean = new Float32Array(count);
  const seen = new Uint16Array(count);
  for (const { values } of curves) {
    for (let i = 0; i < count; i++) {
      const value = values[i];
      if (value === null) continue;
      if (value < low[i]) low[i] = value;
      if (value > high[i]) high[i] = value;
      mean[i] += value;
      seen[i] += 1;
    }
  }
  let gaps = false;
  for (let i = 0; i < count; i++) {
    mean[i] /= seen[i];
    gaps ||= seen[i] === 0;
  }
  const whole = (values) => (gaps ? Array.from(values, (v, i) => (seen[i] ? v : null)) : values);
  return { low: whole(low), high: whole(high), mean: whole(mean) };
}

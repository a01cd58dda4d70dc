// Rates, times and sizes as people write them.

const RATES = { bit: 1, kbit: 1e3, Mbit: 1e6, Gbit: 1e9, Tbit: 1e12 };
const TIMES = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };

const short = (number) => String(Number(number.toPrecision(6)));

function written(value, units, smallest) {
  const fitting = Object.entries(units).filter(([, size]) => value >= size * 0.9999995);
  const [unit, size] = fitting[fitting.length - 1] ?? [smallest, units[smallest]];
  return short(value / size) + unit;
}

function parsed(text, units) {
  const [, number, unit] = /^([-+.\deE]+?)\s*([a-zA-Zµ]+)(?:\/s)?$/.exec(String(text).trim()) ?? [];
  const size = Object.entries(units).find(([name]) => name.toLowerCase() === unit?.toLowerCase())?.[1];
  const value = Number(number) * size;
  return Number.isFinite(value) ? value : null;
}

export const rate = {
  write: (value) => written(value, RATES, "bit"),
  show: (value) => written(value, RATES, "bit").replace(/([a-zA-Z]+)$/, " $1/s"),
  parse: (text) => parsed(text, RATES),
};

export const time = {
  write: (value) => (value === 0 ? "0s" : written(value, { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 }, "ns")),
  show: (value) => time.write(value).replace(/([a-z]+)$/, " $1").replace(" us", " µs"),
  parse: (text) => parsed(String(text).replace("µ", "u"), TIMES),
};

export const bdp = {
  write: (value) => `${short(value)}bdp`,
  show: (value) => `${short(value)} BDP`,
  parse: (text) => parsed(text, { bdp: 1 }),
};

export const percent = {
  show: (value) => (value === 0 ? "none" : `${short(100 * value)} %`),
  parse: (text) => {
    const [, number] = /^([-+.\deE]+)\s*%$/.exec(String(text).trim()) ?? [];
    if (/^(none|0)$/.test(String(text).trim())) return 0;
    return number === undefined || !Number.isFinite(Number(number)) ? null : Number(number) / 100;
  },
};

export const count = {
  show: (value) => short(value),
  parse: (text) => (Number.isInteger(Number(text)) && String(text).trim() !== "" ? Number(text) : null),
};

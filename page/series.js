// What a run has said so far: columns that grow.

class Column {
  constructor() {
    this.values = new Float64Array(1024);
    this.length = 0;
  }

  append(more) {
    const length = this.length + more.length;
    if (length > this.values.length) {
      const larger = new Float64Array(Math.max(length, 2 * this.values.length));
      larger.set(this.values.subarray(0, this.length));
      this.values = larger;
    }
    this.values.set(more, this.length);
    this.length = length;
  }
}

const NOTHING = new Float64Array(0);

export class Series {
  constructor() {
    this.columns = new Map();
  }

  append(columns) {
    for (const [name, values] of Object.entries(columns)) {
      if (!this.columns.has(name)) this.columns.set(name, new Column());
      this.columns.get(name).append(values);
    }
  }

  /** The first `count` values of a column, or all. */
  column(name, count = Infinity) {
    const column = this.columns.get(name);
    return column ? column.values.subarray(0, Math.min(count, column.length)) : NOTHING;
  }

  names() {
    return [...this.columns.keys()];
  }

  get length() {
    return this.columns.get("t")?.length ?? 0;
  }

  /** How many values there are up to this time. */
  until(t) {
    const times = this.column("t");
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The values that a column has at the times of another series. */
  at(name, times) {
    const [own, values] = [this.column("t"), this.column(name)];
    let place = 0;
    return Float64Array.from(times, (t) => {
      while (place + 1 < own.length && own[place + 1] <= t) place += 1;
      return values.length ? values[Math.min(place, values.length - 1)] : NaN;
    });
  }

  csv() {
    const names = this.names();
    const columns = names.map((name) => this.column(name));
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const rows = Array.from({ length: this.length }, (_, row) => columns.map((column) => (Number.isFinite(column[row]) ? column[row] : "")).join(","));
    return `${names.map(quoted).join(",")}\n${rows.join("\n")}\n`;
  }
}

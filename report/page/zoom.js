// What is shown of the horizontal axis: one range for all figures over time, and
// one for each other figure.

class Zoom {
  constructor(log = false) {
    this.log = log;
    this.range = null;
    this.figures = [];
  }

  /** Shows a range in all figures; null shows everything. */
  to(range) {
    this.range = range;
    for (const figure of this.figures) figure.zoomed();
  }

  apply(plot) {
    const xs = plot.data[0];
    const [min, max] = this.range ?? [xs[0], xs[xs.length - 1]];
    plot.setScale("x", { min, max });
  }

  /** Nearer or farther, around a place. */
  by(factor, place, all) {
    const [from, to] = this.range ?? all;
    const towards = (end) => (this.log ? place * (end / place) ** factor : place + (end - place) * factor);
    const min = Math.max(all[0], towards(from));
    const max = Math.min(all[1], towards(to));
    this.to(min <= all[0] && max >= all[1] ? null : [min, max]);
  }
}

const overTime = new Zoom();

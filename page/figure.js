// The curves of a run: panels as those of reports (report/page), whose values grow.

/* global Panels, Zoom, element, faded, uPlot */

const FEW = 3;

/** What panels show, from the columns of series. */
export const PANELS = [
  { key: "goodput", title: "goodput", unit: "Mbit/s", scale: 1e-6 },
  { key: "cwnd", title: "cwnd", unit: "packets", scale: 1, tall: true },
  { key: "queue", title: "queue", unit: "packets", scale: 1, link: true },
  { key: "rtt", title: "RTT", unit: "ms", scale: 1e3 },
  { key: "jain", title: "Jain's index", unit: "", scale: 1, link: true, range: [0, 1.04] },
];

/** Shows all of the experiment, however much of it has been computed. */
class Whole extends Zoom {
  apply(plot) {
    const [min, max] = this.range ?? this.figures[0].all;
    plot.setScale("x", { min, max });
  }
}

export class Curves extends Panels {
  constructor(host, groups, panels, duration, window) {
    super(host, { title: "Run", time: true, few: FEW, x: { title: "time", unit: "s" }, xs: [0, duration], groups, panels, window }, "run");
    this.zoom = new Whole();
    this.zoom.figures.push(this);
    this.all = [0, duration];
    this.xs = new Float64Array(0);
    this.controls();
    this.draw();
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.stack);
  }

  /** Below the curves: the measuring window, and the target band of the average queue. */
  ground(plot) {
    super.ground(plot);
    const band = this.spec.panels[this.plots.indexOf(plot)]?.band;
    if (!band) return;
    const { ctx, bbox } = plot;
    const [bottom, top] = band.map((value) => Math.min(bbox.top + bbox.height, Math.max(bbox.top, plot.valToPos(value, "y", true))));
    ctx.save();
    ctx.fillStyle = faded(this.shades.curve[6], 0.28);
    ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
    ctx.restore();
  }

  /** Values up to now: `xs`, and of every panel the curves in the order given before. */
  update(xs, values) {
    this.xs = xs;
    this.spec.panels.forEach((panel, p) => {
      panel.bands = null;
      panel.curves.forEach((curve, c) => (curve.values = values[p][c]));
    });
    this.plots.forEach((plot, p) => {
      const { data } = this.content(this.spec.panels[p]);
      plot.batch(() => {
        plot.setData([xs, ...data], true);
        this.zoom.apply(plot);
      });
    });
  }

  end() {
    this.observer.disconnect();
    this.plots.forEach((plot) => plot.destroy());
    this.host.replaceChildren();
  }
}

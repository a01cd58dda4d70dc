// Figures of curves: panels above each other with one horizontal axis.

/** Within so many pixels of a curve a click means it. */
const NEAR = 60;

class Panels {
  constructor(host, spec, name) {
    this.host = host;
    this.spec = spec;
    this.name = name;
    this.xs = places(spec.xs);
    this.all = [this.xs[0], this.xs[this.xs.length - 1]];
    this.zoom = spec.time ? overTime : new Zoom(spec.x.log);
    this.each = false;
    this.flow = null;
    this.group = null;
    this.plots = [];
  }

  async load() {
    for (const panel of this.spec.panels) await unpack(panel, this.xs.length);
    this.controls();
    this.zoom.figures.push(this);
    this.draw();
    new ResizeObserver(() => this.resized()).observe(this.stack);
  }

  members(panel, group) {
    return panel.curves.filter((curve) => curve.group === group);
  }

  band(panel, group) {
    panel.bands ??= new Map();
    if (!panel.bands.has(group)) panel.bands.set(group, envelope(this.members(panel, group), this.xs.length));
    return panel.bands.get(group);
  }

  isBand(panel, group) {
    return !this.each && this.members(panel, group).length > this.spec.few;
  }

  // ---- what is above the panels

  controls() {
    const many = this.spec.panels.some((panel) => this.spec.groups.some((_, g) => this.members(panel, g).length > this.spec.few));
    this.eachButton = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.show({ each: !this.each }) }, this.spec.few === 1 ? "All replicates" : "All flows");
    this.eachButton.hidden = !many;
    this.flows = [...new Set(this.spec.panels.filter((p) => !p.link).flatMap((panel) => panel.curves.map((curve) => curve.name)))];
    this.select = element("select", { "aria-label": this.spec.few === 1 ? "Single out a curve" : "Single out a flow", onchange: () => this.show({ flow: this.select.value || null }) });
    this.select.append(element("option", { value: "" }, "Single out …"), ...this.flows.map((flow) => element("option", { value: flow }, flow)));
    this.select.hidden = this.flows.length < 2;
    this.reset = element("button", { type: "button", onclick: () => this.zoom.to(null) }, "Show all of it");
    this.reset.hidden = true;
    this.bar = element("div", { class: "bar" }, this.eachButton, this.select, this.reset, element("span", { class: "grow" }), ...exportButtons(this));
    this.keys = element("div", { class: "keys" });
    this.stack = element("div", { class: "stack", tabindex: "0", role: "group", "aria-label": `${this.spec.title}: curves. Arrow keys read values, plus and minus zoom, Escape shows all.`, onkeydown: (event) => this.key(event) });
    for (const panel of this.spec.panels) {
      panel.read = element("span", { class: "read" });
      panel.box = element("div", { class: "draw" });
      this.stack.append(element("div", { class: "panel" }, element("div", { class: "phead" }, element("span", { class: "ptitle" }, label(panel.y)), panel.read), panel.box));
    }
    this.host.replaceChildren(this.bar, this.keys, this.stack);
  }

  drawKeys() {
    const shades = colours();
    this.keys.replaceChildren(
      ...this.spec.groups.map((group, g) => {
        const line = element("i");
        line.innerHTML = `<svg viewBox="0 0 28 10" width="28" height="10" aria-hidden="true">${stroke(group, shades.curve[group.hue], 0, 5, 28)}</svg>`;
        const count = Math.max(...this.spec.panels.map((panel) => this.members(panel, g).length));
        const flows = count > 1 ? ` × ${count}` : "";
        return element("button", { type: "button", "aria-pressed": String(this.group === g), title: "Show it alone", onclick: () => this.show({ group: this.group === g ? null : g, flow: null }) }, line, group.name + flows);
      }),
    );
    if (this.flow !== null) {
      this.keys.append(element("button", { type: "button", "aria-pressed": "true", onclick: () => this.show({ flow: null }) }, `only ${this.flow} ×`));
    }
  }

  /** Shows bands or all flows, one group or one flow alone, or everything. */
  show(change) {
    Object.assign(this, change);
    this.eachButton.setAttribute("aria-pressed", String(this.each));
    this.select.value = this.flow ?? "";
    this.draw();
  }

  // ---- drawing

  width() {
    return printing ? 680 : Math.max(200, Math.floor(this.stack.clientWidth));
  }

  draw() {
    this.plots.forEach((plot) => plot.destroy());
    this.shades = colours();
    this.drawKeys();
    this.room = roomForEnds(this);
    this.plots = this.spec.panels.map((panel, number) => this.plot(panel, number));
    this.zoomed();
    this.host.dataset.ready = "yes";
  }

  resized() {
    if (this.width() === this.drawnWidth) return;
    this.drawnWidth = this.width();
    this.plots.forEach((plot) => plot.setSize({ width: this.width(), height: plot.height }));
  }

  zoomed() {
    this.reset.hidden = this.zoom.range === null;
    this.plots.forEach((plot) => this.zoom.apply(plot));
  }

  /** What a panel draws now: values, how each looks, and areas between two. */
  content(panel) {
    const series = [];
    const data = [];
    const bands = [];
    const add = (values, label, colour, width, alpha, group) => {
      data.push(values);
      const { dash } = this.spec.groups[group];
      series.push({ label, group, stroke: faded(colour, alpha), width, dash: dash.length && width > 0 ? dash : undefined, points: { show: false }, paths: panel.steps ? uPlot.paths.stepped({ align: 1 }) : undefined });
    };
    const single = panel.curves.find((curve) => curve.name === this.flow);
    const known = this.group !== null && this.members(panel, this.group).length > 0;
    this.spec.groups.forEach((group, g) => {
      const curves = this.members(panel, g);
      if (curves.length === 0 || (known && g !== this.group)) return;
      if (single && single.group !== g) return;
      const colour = this.shades.curve[group.hue];
      if (this.isBand(panel, g)) {
        const { low, high, mean } = this.band(panel, g);
        if (!panel.steps) {
          add(high, null, colour, 0, 0, g);
          add(low, null, colour, 0, 0, g);
          bands.push({ series: [data.length - 1, data.length], fill: faded(colour, single ? 0.1 : 0.2) });
        }
        if (!single) add(mean, `${group.name} mean`, colour, 1.6, 1, g);
      } else if (!single) {
        const alpha = curves.length > this.spec.few ? 0.55 : 1;
        for (const curve of curves) add(curve.values, curve.name, colour, curves.length > this.spec.few ? 1 : 1.5, alpha, g);
      }
    });
    if (single) add(single.values, single.name, this.shades.curve[this.spec.groups[single.group].hue], 1.6, 1, single.group);
    return { series, data, bands };
  }

  plot(panel, number) {
    const { series, data, bands } = this.content(panel);
    const last = number === this.spec.panels.length - 1;
    const alone = this.spec.panels.length === 1;
    const axis = { stroke: this.shades.faint, font: NAME, grid: { stroke: this.shades.grid, width: 1 }, ticks: { show: false } };
    this.drawnWidth = this.width();
    const options = {
      width: this.drawnWidth,
      height: (alone ? 300 : (this.spec.few === 1 ? 170 : 140) * (panel.tall ? 1.7 : 1)) + (last ? 36 : 0),
      padding: [6, this.room, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, distr: this.spec.x.log ? 3 : 1 }, y: { distr: panel.y.log ? 3 : 1, range: (_, low, high) => range(panel, low, high) } },
      series: [{}, ...series],
      bands,
      axes: [
        { ...axis, ...powers(this.spec.x), size: last ? 26 : 8, values: last ? (_, ticks) => ticks.map(read) : (_, ticks) => ticks.map(() => ""), label: last ? label(this.spec.x) : undefined, labelSize: 18, labelFont: NAME },
        { ...axis, ...powers(panel.y), size: 62, values: (_, ticks) => ticks.map(read) },
      ],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: 4 },
        points: { size: 7, width: 2, fill: (plot, s) => solid(series[s - 1]), stroke: () => this.shades.ground, show: (plot, s) => (series[s - 1].label === null || series.length > 12 ? undefined : defaultPoint(plot, s)) },
        sync: this.spec.time ? { key: "time", setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" || type === "mouseenter" } } : undefined,
        bind: { dblclick: () => () => { this.zoom.to(null); return null; } },
      },
      hooks: {
        drawClear: [(plot) => this.ground(plot)],
        drawAxes: [(plot) => rules(plot, panel, this.shades)],
        draw: [(plot) => ends(this, plot, panel, series)],
        setSelect: [(plot) => this.selected(plot)],
        setCursor: [(plot) => this.reads(plot, panel, series)],
      },
    };
    const plot = new uPlot(options, [this.xs, ...data], panel.box);
    const canvas = plot.root.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${label(panel.y)} of ${this.spec.title}: ${series.filter((s) => s.label).length} curves; the numbers are in the table below`);
    clicks(plot, () => this.clicked(plot, panel));
    return plot;
  }

  /** The measuring window. */
  ground(plot) {
    if (!this.spec.window) return;
    const [from, to] = this.spec.window.map((x) => Math.max(plot.bbox.left, Math.min(plot.bbox.left + plot.bbox.width, plot.valToPos(x, "x", true))));
    plot.ctx.save();
    plot.ctx.fillStyle = this.shades.shade;
    plot.ctx.fillRect(from, plot.bbox.top, to - from, plot.bbox.height);
    plot.ctx.restore();
  }

  // ---- mouse and keys

  selected(plot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    const range = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoom.to(range);
  }

  clicked(plot, panel) {
    const { idx, top } = plot.cursor;
    if (idx === null || idx === undefined || panel.link) return;
    if (this.flow !== null) {
      this.show({ flow: null });
      return;
    }
    const nearest = this.nearest(plot, panel, idx, top);
    if (nearest) this.show({ flow: nearest.name });
  }

  nearest(plot, panel, idx, top) {
    let best = null;
    let least = NEAR;
    for (const curve of panel.curves) {
      if (this.group !== null && curve.group !== this.group) continue;
      const value = curve.values[idx];
      if (value === null || value === undefined) continue;
      const distance = Math.abs(plot.valToPos(value, "y") - top);
      if (distance < least) [best, least] = [curve, distance];
    }
    return best;
  }

  /** Values under the cursor. */
  reads(plot, panel, series) {
    const { idx, top, left } = plot.cursor;
    if (idx === null || idx === undefined || left < 0) {
      panel.read.replaceChildren();
      return;
    }
    const parts = [`${this.spec.x.title} ${read(this.xs[idx])} ${this.spec.x.unit}`];
    const entry = (name, value, colour) => {
      const dot = element("i");
      dot.style.background = colour;
      parts.push(dot, `${name} `, element("b", {}, read(value)));
    };
    const shown = series.map((s, i) => [s, plot.data[i + 1][idx]]).filter(([s]) => s.label !== null);
    if (shown.length <= 6) {
      for (const [s, value] of shown) entry(s.label, value, solid(s));
    }
    const hovered = plot.over.matches(":hover");
    if (hovered && !panel.link && this.flow === null && shown.length !== panel.curves.length) {
      const curve = this.nearest(plot, panel, idx, top);
      if (curve) entry(`near ${curve.name}`, curve.values[idx], this.shades.curve[this.spec.groups[curve.group].hue]);
    } else if (hovered && shown.length > 6) {
      const curve = this.nearest(plot, panel, idx, top);
      if (curve) entry(curve.name, curve.values[idx], this.shades.curve[this.spec.groups[curve.group].hue]);
    }
    panel.read.replaceChildren(...parts);
  }

  key(event) {
    const plot = this.plots[0];
    if (!plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const width = plot.over.clientWidth;
    const left = plot.cursor.left >= 0 ? plot.cursor.left : width / 2;
    const place = plot.posToVal(left, "x");
    const move = (to) => plot.setCursor({ left: Math.max(0, Math.min(width, to)), top: 10 });
    const step = event.shiftKey ? width / 10 : Math.max(1, width / 200);
    const actions = {
      ArrowLeft: () => move(left - step),
      ArrowRight: () => move(left + step),
      "+": () => this.zoom.by(0.5, place, this.all),
      "=": () => this.zoom.by(0.5, place, this.all),
      "-": () => this.zoom.by(2, place, this.all),
      Escape: () => this.zoom.to(null),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    // the others follow the mouse only
    for (const other of this.plots.slice(1)) other.setCursor({ left: plot.cursor.left, top: 10 });
  }
}

const label = (axis) => (axis.unit ? `${axis.title} (${axis.unit})` : axis.title);
const solid = (series) => series.stroke.slice?.(0, 7) ?? series.stroke;

/** The little disc on a curve, as uPlot makes it. */
function defaultPoint(plot, s) {
  return element("div", { class: "u-cursor-pt" });
}

/** Where a logarithmic axis has numbers: at powers of ten, between them if it is short. */
function powers(axis) {
  if (!axis.log) return {};
  const splits = (plot, index, low, high) => {
    const decades = Math.log10(high / low);
    const space = index === 0 ? plot.width / 90 : plot.height / 40;
    const every = Math.max(1, Math.ceil(decades / space));
    const parts = decades > 2 ? [1] : decades > 0.7 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
    const found = [];
    for (let e = Math.floor(Math.log10(low) + 1e-9); 10 ** e <= high * 1.000001; e += every) found.push(...parts.map((part) => part * 10 ** e));
    return found.filter((place) => place >= low * 0.999999 && place <= high * 1.000001);
  };
  return { splits, filter: (_, found) => found };
}

/** The vertical axis: from zero, unless all of it is far above (svg/panels.rs). */
function range(panel, low, high) {
  if (panel.range) return panel.range;
  if (low === null || high === null || low === undefined) return panel.y.log ? [1, 10] : [0, 1];
  if (panel.y.log) {
    const least = Math.floor(Math.log10(low) + 1e-9);
    return [10 ** least, 10 ** Math.max(least + 1, Math.ceil(Math.log10(high) - 1e-9))];
  }
  for (const [, rule] of panel.rules) if (rule <= 1.5 * high && rule > high) high = rule;
  const bottom = low > 0.5 * high ? low - 0.05 * (high - low) : Math.min(low, 0);
  // a range that is too narrow shows differences that are none
  const lack = (0.01 * Math.abs(high) - (high - bottom)) / 2;
  if (bottom > 0 && lack > 0) return [bottom - lack, high + lack];
  return high > bottom ? [bottom, high + 0.04 * (high - bottom)] : [bottom, bottom + 1];
}

/** Limits and thresholds. */
function rules(plot, panel, shades) {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  for (const [name, value] of panel.rules) {
    if (value < plot.scales.y.min || value > plot.scales.y.max) continue;
    const y = Math.round(plot.valToPos(value, "y", true));
    ctx.save();
    ctx.strokeStyle = shades.faint;
    ctx.fillStyle = shades.faint;
    ctx.lineWidth = ratio;
    ctx.setLineDash([4 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = NAME.replace("12px", `${11 * ratio}px`);
    ctx.textAlign = "right";
    ctx.fillText(name, bbox.left + bbox.width - 4 * ratio, y - 4 * ratio);
    ctx.restore();
  }
}

/** A click that is no drag. */
function clicks(plot, act) {
  let from = null;
  plot.over.addEventListener("mousedown", (event) => (from = [event.clientX, event.clientY]));
  plot.over.addEventListener("click", (event) => {
    if (event.detail > 1 || !from) return;
    if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 4) act();
  });
}

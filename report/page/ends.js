// Marks along curves and their names at the right end, so that no reader needs colours.

const NAME = "12px Roboto, system-ui, sans-serif";

/** Height of a name at the end of a curve. */
const LINE = 13;

/** Room for the right half of the last number of the axis. */
const LAST = 24;

/** Marks along a curve. */
const MARKS = 5;

/** A name that is not wider than that. */
function short(text) {
  return text.length > 22 ? `${text.slice(0, 21)}…` : text;
}

/** Room for names right of the curves of a figure; little if there are none. */
function roomForEnds(figure) {
  const panels = figure.spec.panels.map((panel) => named(figure, panel));
  const names = panels.filter((groups) => groups.length > 1).flat();
  // curves that all end in one corner have their names above alone
  if (names.length === 0 || figure.spec.rising || figure.width() < 560) return LAST;
  const ctx = document.createElement("canvas").getContext("2d");
  ctx.font = NAME;
  return LAST + 2 + Math.max(...names.map((g) => ctx.measureText(short(figure.spec.groups[g].name)).width));
}

/** Groups that a panel shows now. */
function named(figure, panel) {
  const { series } = figure.content(panel);
  return [...new Set(series.filter((s) => s.label !== null).map((s) => s.group))];
}

/** Where the marks and the names of a panel are, in pixels of its drawing area. */
function endsOf(plot, panel, series, rising = false) {
  const { clientWidth: width, clientHeight: height } = plot.over;
  const { min, max } = plot.scales.x;
  const found = [];
  const seen = new Set();
  const there = (value) => value !== null && value !== undefined && !Number.isNaN(value);
  series.forEach((s, i) => {
    if (s.label === null || s.width === 0 || seen.has(s.group)) return;
    seen.add(s.group);
    const values = plot.data[i + 1];
    let last = values.length - 1;
    while (last >= 0 && (!there(values[last]) || plot.data[0][last] > max)) last -= 1;
    if (last < 0 || plot.data[0][last] < min) return;
    found.push({ values, group: s.group, y: plot.valToPos(values[last], "y") });
  });
  if (found.length < 2) return { marks: [], names: [] };
  const marks = [];
  found.forEach(({ values, group }, nth) => {
    for (let k = 0; k < MARKS; k++) {
      // those of several curves do not lie on each other
      const share = (k + (nth + 0.5) / found.length) / MARKS;
      if (rising) {
        // each at a height of its own: at 0 and 100 % the curves lie on each other
        const goal = 100 * share;
        const after = values.findIndex((value) => value >= goal);
        if (after < 1) continue;
        const [low, high] = [values[after - 1], values[after]];
        const [from, to] = [after - 1, after].map((i) => plot.valToPos(plot.data[0][i], "x"));
        const [x, y] = [from + ((goal - low) / (high - low)) * (to - from), plot.valToPos(goal, "y")];
        if (x >= 0 && x <= width) marks.push({ group, x, y });
        continue;
      }
      const at = plot.valToIdx(plot.posToVal(share * width, "x"));
      if (!there(values[at])) continue;
      const [x, y] = [plot.valToPos(plot.data[0][at], "x"), plot.valToPos(values[at], "y")];
      if (x >= 0 && x <= width && y >= 0 && y <= height) marks.push({ group, x, y });
    }
  });
  const room = plot.width - plot.over.offsetLeft - width;
  if (room <= LAST || found.length * LINE > height + LINE) return { marks, names: [] };
  found.sort((a, b) => a.y - b.y);
  apart(found, 4, height - 2, LINE);
  return { marks, names: found.map(({ group, y }) => ({ group, y })) };
}

/** Draws the marks and the names of a panel. */
function ends(figure, plot, panel, series) {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const { marks, names } = endsOf(plot, panel, series, figure.spec.rising);
  const group = (g) => figure.spec.groups[g];
  const draw = (g, x, y) => mark(ctx, group(g), figure.shades.curve[group(g).hue], bbox.left + x * ratio, bbox.top + y * ratio, 3.6 * ratio, figure.shades.ground);
  ctx.save();
  for (const { group: g, x, y } of marks) draw(g, x, y);
  ctx.font = NAME.replace("12px", `${12 * ratio}px`);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const { group: g, y } of names) {
    draw(g, bbox.width / ratio + 9, y);
    ctx.fillStyle = figure.shades.text;
    ctx.fillText(short(group(g).name), bbox.left + bbox.width + 17 * ratio, bbox.top + y * ratio);
  }
  ctx.restore();
}

/** Moves places that are in order as little as needed for a distance between them. */
function apart(places, low, high, distance) {
  for (let i = 0; i < places.length; i++) places[i].y = Math.max(places[i].y, i === 0 ? low : places[i - 1].y + distance);
  for (let i = places.length - 1; i >= 0; i--) places[i].y = Math.min(places[i].y, i === places.length - 1 ? high : places[i + 1].y - distance);
}

function mark(ctx, group, colour, x, y, radius, ground) {
  const path = new Path2D(group.mark ? corners(group.mark, x, y, radius) : undefined);
  if (!group.mark) path.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.strokeStyle = ground;
  ctx.lineWidth = radius / 2;
  ctx.setLineDash([]);
  ctx.stroke(path);
  ctx.fillStyle = colour;
  ctx.fill(path);
}

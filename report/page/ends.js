// Marks along curves and their names at the right end, so that no reader needs colours.

const NAME = '12px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';

/** Height of a name at the end of a curve. */
const LINE = 13;

/** Marks along a curve. */
const MARKS = 5;

/** A name that is not wider than that. */
function short(text) {
  return text.length > 18 ? `${text.slice(0, 17)}…` : text;
}

/** Room for names right of the curves of a figure; little if there are none. */
function roomForEnds(figure) {
  const panels = figure.spec.panels.map((panel) => named(figure, panel));
  const names = panels.filter((groups) => groups.length > 1).flat();
  if (names.length === 0 || figure.width() < 560) return 14;
  const ctx = document.createElement("canvas").getContext("2d");
  ctx.font = NAME;
  return 26 + Math.max(...names.map((g) => ctx.measureText(short(figure.spec.groups[g].name)).width));
}

/** Groups that a panel shows now. */
function named(figure, panel) {
  const { series } = figure.content(panel);
  return [...new Set(series.filter((s) => s.label !== null).map((s) => s.group))];
}

/** Draws the marks and the names of a panel. */
function ends(figure, plot, panel, series) {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const [left, right, top] = [bbox.left, bbox.left + bbox.width, bbox.top];
  const { min, max } = plot.scales.x;
  const found = [];
  const seen = new Set();
  series.forEach((s, i) => {
    if (s.label === null || s.width === 0 || seen.has(s.group)) return;
    seen.add(s.group);
    const values = plot.data[i + 1];
    let last = values.length - 1;
    while (last >= 0 && (values[last] === null || Number.isNaN(values[last]) || plot.data[0][last] > max)) last -= 1;
    if (last < 0 || plot.data[0][last] < min) return;
    found.push({ s, values, group: figure.spec.groups[s.group], y: plot.valToPos(values[last], "y", true) });
  });
  if (found.length < 2) return;
  ctx.save();
  found.forEach(({ s, values, group }, nth) => {
    const colour = figure.shades.curve[group.hue];
    for (let k = 0; k < MARKS; k++) {
      // those of several curves do not lie on each other
      const x = left + ((k + (nth + 0.5) / found.length) / MARKS) * bbox.width;
      const value = values[plot.valToIdx(plot.posToVal(x, "x", true))];
      if (value === null || value === undefined || Number.isNaN(value)) continue;
      const y = plot.valToPos(value, "y", true);
      if (y >= top && y <= top + bbox.height) mark(ctx, group, colour, x, y, 3.6 * ratio, figure.shades.ground);
    }
  });
  const room = (plot.width - (plot.over.offsetLeft + plot.over.clientWidth)) * ratio;
  if (room > 24 * ratio && found.length * LINE * ratio <= bbox.height + LINE * ratio) {
    found.sort((a, b) => a.y - b.y);
    apart(found, top + 4 * ratio, top + bbox.height - 2 * ratio, LINE * ratio);
    ctx.font = NAME.replace("12px", `${12 * ratio}px`);
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const { group, y } of found) {
      mark(ctx, group, figure.shades.curve[group.hue], right + 9 * ratio, y, 3.6 * ratio, figure.shades.ground);
      ctx.fillStyle = figure.shades.text;
      ctx.fillText(short(group.name), right + 17 * ratio, y);
    }
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

// Figures as files: what is shown, in the colours of light, as SVG or PNG.

function save(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const safe = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** The font of the page's figures, which goes along with them. */
function face() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.find((rule) => rule instanceof CSSFontFaceRule)?.cssText ?? "";
}

/** Curves as they are shown now. */
function curvesSvg(figure) {
  const shades = colours(true);
  const parts = [];
  const width = figure.plots[0].width;
  const text = (x, y, anchor, colour, words) => parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${safe(words)}</text>`);
  const ctx = document.createElement("canvas").getContext("2d");
  ctx.font = NAME;
  let x = 8;
  let top = 12;
  figure.spec.groups.forEach((group) => {
    const wide = 33 + ctx.measureText(group.name).width;
    if (x > 8 && x + wide > width - 8) [x, top] = [8, top + 18];
    parts.push(stroke(group, shades.curve[group.hue], x, top, 28));
    text(x + 33, top + 4, "start", shades.text, group.name);
    x += wide + 16;
  });
  top += 18;
  figure.spec.panels.forEach((panel, number) => {
    const plot = figure.plots[number];
    const box = { left: plot.over.offsetLeft, top: plot.over.offsetTop, width: plot.over.clientWidth, height: plot.over.clientHeight };
    text(8, top + 6, "start", shades.text, label(panel.y));
    top += 12;
    const at = (v, scale) => plot.valToPos(v, scale) + (scale === "x" ? box.left : top + box.top);
    for (const [i, scale] of [[0, "x"], [1, "y"]]) {
      const axis = plot.axes[i];
      (axis._splits ?? []).forEach((tick, k) => {
        if (tick === null) return;
        const place = at(tick, scale);
        const words = axis._values?.[k] ?? "";
        if (scale === "x") {
          parts.push(`<path d="M${place.toFixed(1)} ${top + box.top}v${box.height}" stroke="${shades.grid}"/>`);
          text(place, top + box.top + box.height + 16, "middle", shades.faint, String(words));
        } else {
          parts.push(`<path d="M${box.left} ${place.toFixed(1)}h${box.width}" stroke="${shades.grid}"/>`);
          text(box.left - 6, place + 4, "end", shades.faint, String(words));
        }
      });
    }
    parts.push(`<clipPath id="p${number}"><rect x="${box.left}" y="${top + box.top}" width="${box.width}" height="${box.height}"/></clipPath><g clip-path="url(#p${number})" fill="none">`);
    const { series, data, bands } = figure.content(panel);
    const paint = (s) => shades.curve[figure.spec.groups[s.group].hue];
    for (const band of bands) {
      const [upper, lower] = band.series.map((s) => points(figure, data[s - 1], at));
      parts.push(`<path d="M${upper.concat(lower.reverse()).join("L")}Z" fill="${paint(series[band.series[0] - 1])}" fill-opacity=".2"/>`);
    }
    series.forEach((s, i) => {
      if (s.width === 0) return;
      parts.push(`<path d="M${points(figure, data[i], at, panel.steps).join("L")}" stroke="${paint(s)}" stroke-width="${s.width}"${s.dash ? ` stroke-dasharray="${s.dash.join(" ")}"` : ""}/>`);
    });
    parts.push("</g>");
    const { marks, names } = endsOf(plot, panel, series, figure.spec.rising);
    const drawn = (g, x, y) => parts.push(glyph(figure.spec.groups[g], shades.curve[figure.spec.groups[g].hue], x, y));
    for (const { group, x, y } of marks) drawn(group, box.left + x, top + box.top + y);
    for (const { group, y } of names) {
      drawn(group, box.left + box.width + 9, top + box.top + y);
      text(box.left + box.width + 17, top + box.top + y + 4, "start", shades.text, short(figure.spec.groups[group].name));
    }
    top += plot.height + 4;
  });
  text(width / 2, top - 8, "middle", shades.text, label(figure.spec.x));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" font-family="Roboto, Helvetica, Arial, sans-serif" font-size="12"><title>${safe(figure.spec.title)}</title><style>${face()}</style><rect width="100%" height="100%" fill="#ffffff"/>${parts.join("")}</svg>`;
}

/** What is visible of a curve; of many points in a pixel the lowest and highest. */
function points(figure, values, at, steps = false) {
  const { xs } = figure;
  const [from, to] = figure.zoom.range ?? figure.all;
  const found = [];
  let pixel = null;
  let low = null;
  let high = null;
  const flush = () => {
    if (low === null) return;
    const both = low[1] === high[1] ? [low] : low[2] < high[2] ? [low, high] : [high, low];
    for (const [px, py] of both) {
      if (steps && found.length) found.push(`${px.toFixed(1)} ${found[found.length - 1].split(" ")[1]}`);
      found.push(`${px.toFixed(1)} ${py.toFixed(1)}`);
    }
  };
  for (let i = 0; i < xs.length; i++) {
    if ((xs[i + 1] ?? xs[i]) < from || (xs[i - 1] ?? xs[i]) > to || values[i] === null) continue;
    const [px, py] = [at(xs[i], "x"), at(values[i], "y")];
    if (pixel !== Math.floor(2 * px)) {
      flush();
      pixel = Math.floor(2 * px);
      low = high = [px, py, i];
    }
    if (py < low[1]) low = [px, py, i];
    if (py > high[1]) high = [px, py, i];
  }
  flush();
  return found;
}

/** A drawing of points, with the colours of light put in. */
function pointsSvg(drawing) {
  const copy = drawing.cloneNode(true);
  const shades = colours(true);
  const colour = (name) => (/^c\d$/.test(name) ? shades.curve[Number(name[1])] : shades[name]);
  for (const part of copy.querySelectorAll("[style]")) {
    part.setAttribute("style", part.getAttribute("style").replace(/var\(--(\w+)\)/g, (_, name) => colour(name)));
  }
  const [, , width, height] = copy.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [key, value] of Object.entries({ width: "100%", height: "100%", fill: "#ffffff" })) ground.setAttribute(key, value);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = face();
  copy.prepend(style, ground);
  return new XMLSerializer().serializeToString(copy);
}

async function png(svg) {
  const picture = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  picture.src = url;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 3 * picture.naturalWidth;
  canvas.height = 3 * picture.naturalHeight;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** Buttons for a figure that has `name` and `svg()`, or is one of curves. */
function exportButtons(figure) {
  const svg = () => (figure.svg ? figure.svg() : curvesSvg(figure));
  return [
    element("button", { type: "button", title: "Save as SVG what is shown", onclick: () => save(`${figure.name}.svg`, new Blob([svg()], { type: "image/svg+xml" })) }, "SVG"),
    element("button", { type: "button", title: "Save as PNG what is shown", onclick: async () => save(`${figure.name}.png`, await png(svg())) }, "PNG"),
  ];
}

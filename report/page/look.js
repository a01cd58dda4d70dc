// Colours and numbers.

const root = document.documentElement;
let printing = false;

/** The colours as they are now; on paper and in files always those of light. */
function colours(light = printing) {
  let element = root;
  if (light) {
    element = document.createElement("div");
    element.dataset.theme = "light";
    document.body.append(element);
  }
  const style = getComputedStyle(element);
  const value = (name) => style.getPropertyValue(name).trim();
  const found = { curve: [] };
  for (let i = 0; value(`--c${i}`) !== ""; i++) found.curve.push(value(`--c${i}`));
  for (const name of ["ground", "text", "faint", "grid", "shade", "line"]) found[name] = value(`--${name}`);
  if (light) element.remove();
  return found;
}

/** A colour that lets through what is beneath. */
function faded(colour, alpha) {
  const byte = Math.round(255 * alpha).toString(16).padStart(2, "0");
  return colour + byte;
}

/** Four digits, as people write them. */
function read(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  if (size === 0) return "0";
  if (size < 1e-4) return value.toExponential(1).replace(".0e", "e");
  return String(Number(value.toPrecision(4)));
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Corners of a group's mark around a place, as a path; a disc has none. */
function corners(mark, x, y, radius) {
  return `M${mark.map(([dx, dy]) => `${(x + radius * dx).toFixed(1)} ${(y + radius * dy).toFixed(1)}`).join("L")}Z`;
}

/** A stroke of a group with its mark, as text of SVG: a key, or a part of a drawing. */
function stroke(group, colour, x, y, long) {
  return `<path d="M${x} ${y}h${long}" stroke="${colour}" stroke-width="2" stroke-dasharray="${group.dash.join(" ")}"/>${glyph(group, colour, x + long / 2, y)}`;
}

/** The mark of a group, as text of SVG. */
function glyph(group, colour, x, y) {
  return group.mark ? `<path d="${corners(group.mark, x, y, 3)}" fill="${colour}"/>` : `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`;
}

const isDark = () =>
  root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

/** Light or dark, as the system has it until someone says otherwise. */
function themeButton(redraw) {
  const button = document.querySelector(".theme");
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    name();
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    name();
    redraw();
  });
  name();
}

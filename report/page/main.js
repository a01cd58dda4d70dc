// Brings the page to life: what is text, table or point is there already.

const figures = [];

/** Figures of points: they say what they are when they are pointed at. */
function pointed(host, name) {
  const drawing = host.querySelector("svg");
  host.before(element("div", { class: "bar" }, element("span", { class: "grow" }), ...exportButtons({ name, svg: () => pointsSvg(drawing) })));
  const tip = document.querySelector(".tip");
  host.addEventListener("mousemove", (event) => {
    const mark = event.target.closest(".mark");
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.say;
    const { width } = tip.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - width - 8)}px`;
    tip.style.top = `${event.clientY + 18}px`;
  });
  host.addEventListener("mouseleave", () => (tip.hidden = true));
}

/** Commands can be taken along. */
function copyButtons() {
  for (const box of document.querySelectorAll(".command")) {
    if (!navigator.clipboard) continue;
    const text = box.textContent;
    const button = element("button", { type: "button", "aria-label": "Copy the command", onclick: async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    } }, "Copy");
    box.append(button);
  }
}

/** The menu shows which section is being read. */
function menu() {
  const links = new Map([...document.querySelectorAll(".menu a")].map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) links.get(target.id)?.classList.toggle("here", isIntersecting);
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const section of document.querySelectorAll("main > section")) watch.observe(section);
}

async function main() {
  const redraw = () => figures.filter((figure) => figure.stack).forEach((figure) => figure.draw());
  themeButton(redraw);
  copyButtons();
  menu();
  let unfolded = [];
  const print = (on) => {
    if (on === printing) return;
    printing = on;
    const short = "section > details:not([open]):has(> .scroll):not(:has(tbody tr:nth-child(41)))";
    if (on) unfolded = [...document.querySelectorAll(short)];
    for (const fold of unfolded) fold.open = on;
    redraw();
  };
  matchMedia("print").addEventListener("change", (event) => print(event.matches));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  // letters are measured before curves are drawn
  await document.fonts.load(NAME);
  const specs = JSON.parse(document.getElementById("data").textContent);
  for (const host of document.querySelectorAll(".points")) pointed(host, host.dataset.name);
  for (const host of document.querySelectorAll(".curves")) {
    const figure = new Panels(host, specs[host.dataset.name], host.dataset.name);
    figures.push(figure);
    const fold = host.closest("details");
    if (!fold || fold.open) await figure.load();
    // what is folded costs nothing until someone wants to see it
    else fold.addEventListener("toggle", () => figure.load(), { once: true });
  }
  root.dataset.ready = "yes";
}

main();

// for tests, and for anyone who opens the console
window.tuskerReport = { figures, endsOf };

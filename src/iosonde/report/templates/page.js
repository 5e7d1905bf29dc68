"use strict";
// Hover values, sortable tables, a filter of findings, and hints of tables that scroll.
// Everything is readable without it.
const make = (tag, text, className) => {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = className;
  return element;
};

const tip = make("div", "", "tip");
tip.hidden = true;
document.body.append(tip);
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest("svg .role-mark [aria-label]");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.getAttribute("aria-label");
  const right = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(8, right)}px`;
  tip.style.top = `${Math.max(8, event.clientY - tip.offsetHeight - 10)}px`;
});

const figure = (cell) => {
  const text = cell ? cell.textContent.replace(/[,\u2007\u2008]/g, "").replace("−", "-").trim() : "";
  const number = parseFloat(text.replace(/^±\s*/, ""));
  return [Number.isNaN(number) ? Infinity : number, text];
};
for (const table of document.querySelectorAll("table:has(thead)")) {
  const body = table.tBodies[0];
  if (body.rows.length < 3) continue;
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    if (!head.textContent) return;
    const button = make("button", head.textContent, "sort");
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => {
        const [x, y] = [figure(a.cells[at]), figure(b.cells[at])];
        return x[0] === y[0] ? x[1].localeCompare(y[1]) : x[0] - y[0];
      };
      body.append(...[...body.rows].sort((a, b) => (down ? order(b, a) : order(a, b))));
    });
  });
}

for (const findings of document.querySelectorAll(".findings")) {
  const severities = [...new Set([...findings.children].map((one) => one.classList[1]))];
  if (severities.length < 2) continue;
  const bar = make("p", "Show: ", "filter");
  for (const severity of ["all", ...severities]) {
    const button = make("button", severity, "");
    button.type = "button";
    button.setAttribute("aria-pressed", String(severity === "all"));
    button.addEventListener("click", () => {
      for (const other of bar.children) other.setAttribute("aria-pressed", String(other === button));
      for (const one of findings.children) one.hidden = severity !== "all" && !one.classList.contains(severity);
    });
    bar.append(button, " ");
  }
  findings.before(bar);
}

const mark = () => {
  for (const wide of document.querySelectorAll(".wide")) {
    const hint = wide.nextElementSibling;
    if (hint && hint.className === "scrolls") hint.style.display = wide.scrollWidth > wide.clientWidth + 1 ? "block" : "none";
  }
};
addEventListener("resize", mark);
document.addEventListener("toggle", mark, true);
mark();

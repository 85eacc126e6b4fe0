// Label by label: how sure each must be, how often it is then right, and what to expect of 1,000 texts.

import { h, name, setShare, shortened, table } from "./dom.js";
import { count, percent, wilson } from "./format.js";

/** Return a slider over the places, with `show(place)`. */
export function placeSlider(held, attributes) {
  const last = String(held.edges.length - 1);
  const part = h("input", { type: "range", min: "0", max: last, step: "1", ...attributes });
  const show = (place) => {
    part.value = String(place);
    part.setAttribute("aria-valuetext", percent(held.edges[place]));
  };
  return { part, show };
}

/** Return the table, with `show()`; `moved` is called when a label gets a threshold of its own, or loses it. */
export function classTable(held, set, moved) {
  const given = (k) => held.right[0][k] + held.wrong[0][k];
  const order = held.labels.map((_, k) => k).sort((a, b) => given(b) - given(a));
  const rows = order.map((k) => classRow(held, k, set, moved));
  const part = table(
    "Label by label, per 1,000 texts",
    ["label", "at least", "precision", "coverage", "right", "wrong", "left"],
    rows.map(({ cells }) => cells),
    "classes pinned",
  );
  return { part, show: () => rows.forEach(({ show }) => show()) };
}

function classRow(held, k, set, moved) {
  const label = held.labels[k];
  const before = held.right[0][k] + held.wrong[0][k];
  const slider = placeSlider(held, { "aria-label": `At least this sure for ${shortened(label, 40)}` });
  slider.part.addEventListener("input", () => {
    set.own.set(label, Number(slider.part.value));
    moved();
  });
  const sure = h("span", { class: "number" });
  const reset = h(
    "button",
    {
      type: "button",
      class: "quiet",
      "aria-label": `Treat ${shortened(label, 40)} like the other labels`,
      click: () => {
        set.own.delete(label);
        slider.part.focus();
        moved();
      },
    },
    "like the others",
  );
  const precision = h("span");
  const interval = h("small");
  const coverage = h("span", { class: "meter" });
  const [right, wrong, left] = [h("span"), h("span"), h("span")];
  const show = () => {
    const place = set.of(label);
    const [r, w] = [held.right[place][k], held.wrong[place][k]];
    const [low, high] = wilson(r, r + w);
    slider.show(place);
    sure.textContent = percent(held.edges[place]);
    reset.hidden = !set.own.has(label);
    precision.textContent = r + w > 0 ? percent(r / (r + w)) : "–";
    interval.textContent = r + w > 0 ? ` ${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)}` : "";
    coverage.textContent = before > 0 ? percent((r + w) / before) : "–";
    setShare(coverage, before > 0 ? (r + w) / before : 0);
    right.textContent = count((1000 * r) / held.n);
    wrong.textContent = count((1000 * w) / held.n);
    left.textContent = count((1000 * (before - r - w)) / held.n);
  };
  const at = h("div", { class: "own" }, slider.part, sure, reset);
  return { show, cells: [name(label, 40), at, h("span", {}, precision, interval), coverage, right, wrong, left] };
}

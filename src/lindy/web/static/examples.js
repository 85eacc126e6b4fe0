// Texts to click, for who does not know what to type.

import { h, visible } from "./dom.js";

const SHOWN = 6;

/** Return examples as buttons, some at a time; `take` gets the one that was clicked. */
export function examplesPart(examples, take) {
  let first = 0;
  const list = h("ul");
  const others = h("button", { type: "button", class: "quiet", hidden: examples.length <= SHOWN }, "Show others");
  const show = () => {
    const shown = examples.slice(first, first + SHOWN);
    list.replaceChildren(...shown.map((example) => h("li", {}, button(example, take))));
  };
  others.addEventListener("click", () => {
    first = first + SHOWN < examples.length ? first + SHOWN : 0;
    show();
  });
  show();
  return h(
    "section",
    { class: "examples", "aria-labelledby": "examples-title" },
    h("h2", { id: "examples-title" }, "Or try one of these"),
    list,
    others,
  );
}

const button = (example, take) =>
  h("button", { type: "button", dir: "auto", click: () => take(example) }, h("span", {}, visible(example)));

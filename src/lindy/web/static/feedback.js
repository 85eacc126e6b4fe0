// "This is wrong": the right label for a text, kept by the service for the next training.

import { post } from "./api.js";
import { h, labelOptions } from "./dom.js";
import { problemPlace } from "./page.js";

const ANOTHER = "another"; // the option of a label that the model does not know

/** Return the part, which never shows where corrections are not kept; `newLabels` says whether others are taken. */
export function feedbackPart(model, isKept, newLabels) {
  const right = h("select", { id: "right-label", required: true });
  const other = h("input", { id: "new-label", maxlength: "1000", "aria-label": "The new label", hidden: true });
  right.addEventListener("change", () => {
    other.hidden = right.value !== ANOTHER;
    other.required = !other.hidden;
  });
  const open = h(
    "button",
    { type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": "correction" },
    "This is wrong",
  );
  const thanks = h("p", { class: "note", role: "status" });
  const { place, tell } = problemPlace();
  const form = h(
    "form",
    { id: "correction", hidden: true },
    h("label", { for: "right-label" }, "The right label is"),
    right,
    other,
    h("button", { class: "main" }, "Send"),
  );
  const part = h("div", { class: "feedback", hidden: true }, open, form, thanks, place);
  let about = null;

  const unfold = (isOpen) => {
    form.hidden = !isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
  };
  open.addEventListener("click", () => {
    const others = model.classes.filter((label) => label !== about.predicted);
    right.replaceChildren(
      h("option", { value: "" }, "choose…"),
      ...labelOptions(model.classes).filter((option) => others.includes(model.classes[Number(option.value)])),
      newLabels ? h("option", { value: ANOTHER }, "another label…") : "",
    );
    other.hidden = true;
    other.required = false;
    unfold(form.hidden);
    if (!form.hidden) right.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("/v1/feedback", {
        model: model.name,
        ...about.asked,
        label: right.value === ANOTHER ? other.value : model.classes[Number(right.value)],
        predicted: about.predicted,
      });
      unfold(false);
      tell(null);
      thanks.textContent = "Thank you. The correction is kept for the next training.";
      open.focus();
    } catch (error) {
      tell(error);
    }
  });
  const show = (asked, predicted) => {
    about = { asked, predicted };
    part.hidden = !isKept;
    thanks.textContent = "";
    tell(null);
    unfold(false);
  };
  return { part, show, clear: () => (part.hidden = true) };
}

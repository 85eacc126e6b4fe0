// "This is wrong": the right label for a text, or the right ones, kept by the service for the next training.

import { post } from "./api.js";
import { h, labelOptions, name } from "./dom.js";
import { givesSeveral } from "./labels.js";
import { problemPlace } from "./page.js";

const ANOTHER = "another"; // the option of a label that the model does not know

/** Return the choice of one label, with `begin(predicted)` and `value()`. */
function oneLabel(model, newLabels) {
  const right = h("select", { id: "right-label", required: true });
  const other = h("input", { id: "new-label", maxlength: "1000", "aria-label": "The new label", hidden: true });
  const unfold = (isOpen) => {
    other.hidden = !isOpen;
    other.required = isOpen;
  };
  right.addEventListener("change", () => unfold(right.value === ANOTHER));
  const begin = (predicted) => {
    right.replaceChildren(
      h("option", { value: "" }, "choose…"),
      ...labelOptions(model.classes).filter((option) => model.classes[Number(option.value)] !== predicted),
      newLabels ? h("option", { value: ANOTHER }, "another label…") : "",
    );
    unfold(false);
    return right;
  };
  const value = () => (right.value === ANOTHER ? other.value : model.classes[Number(right.value)]);
  return { parts: [h("label", { for: "right-label" }, "The right label is"), right, other], begin, value };
}

/** Return the choice of any number of labels, with `begin(predicted)` and `value()`. */
function anyLabels(model, newLabels) {
  const boxes = h("div", { class: "boxes" });
  const other = h("input", { id: "new-label", maxlength: "1000", placeholder: "a new label", "aria-label": "A new label" });
  const begin = (predicted) => {
    const order = [...predicted, ...model.classes.filter((label) => !predicted.includes(label))];
    const box = (label) => {
      const check = h("input", { type: "checkbox", value: label });
      check.checked = predicted.includes(label);
      return h("label", {}, check, " ", name(label, 40));
    };
    boxes.replaceChildren(...order.map(box));
    other.value = "";
    return boxes.querySelector("input");
  };
  const value = () => {
    const checked = [...boxes.querySelectorAll(":checked")].map((check) => check.value);
    return other.value.trim() === "" ? checked : [...checked, other.value];
  };
  const part = h("fieldset", {}, h("legend", {}, "The right labels are"), boxes, newLabels ? other : null);
  return { parts: [part], begin, value };
}

/** Return the part, which never shows where corrections are not kept; `newLabels` says whether others are taken. */
export function feedbackPart(model, isKept, newLabels) {
  const choice = givesSeveral(model) ? anyLabels(model, newLabels) : oneLabel(model, newLabels);
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
    ...choice.parts,
    h("button", { class: "main" }, "Send"),
  );
  const part = h("div", { class: "feedback", hidden: true }, open, form, thanks, place);
  let about = null;

  const unfold = (isOpen) => {
    form.hidden = !isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
  };
  open.addEventListener("click", () => {
    const first = choice.begin(about.predicted);
    unfold(form.hidden);
    if (!form.hidden) first.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("/v1/feedback", {
        model: model.name,
        ...about.asked,
        label: choice.value(),
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

// How a program gets what is shown: the view's data as JSON, and a command that asks the same of the service.

import { hasToken } from "./api.js";
import { h } from "./dom.js";

const LONGEST = 4000;

/**
 * Return the part, with `query(settings)`, which adds settings to the address of the JSON, and
 * `show(address, body, options)`, which says what the command asks for.
 */
export function fromProgram(view) {
  const command = h("code");
  const copied = h("span", { class: "note", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command.textContent);
      copied.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(command);
      copied.textContent = "Selected: copy it with your keyboard";
    }
    setTimeout(() => (copied.textContent = ""), 3000);
  };
  const link = h("a", { href: view }, view);
  const part = h(
    "details",
    { class: "program" },
    h("summary", {}, "From a program"),
    h("p", {}, "The data of this page as JSON: ", link),
    h("pre", { tabindex: "0", role: "region", "aria-label": "Command" }, command),
    h("p", {}, h("button", { type: "button", click: copy }, "Copy the command"), " ", copied),
  );
  const query = (settings) => {
    const asked = new URLSearchParams(Object.entries(settings).filter(([, value]) => value !== undefined));
    const isLong = `${asked}`.length > LONGEST;
    link.href = isLong || asked.size === 0 ? view : `${view}?${asked}`;
  };
  const show = (address, body = null, options = []) => {
    const token = hasToken() ? [`-H "Authorization: Bearer $TOKEN"`] : [];
    const json = body === null ? "" : JSON.stringify(body);
    const sent = json.length > LONGEST ? "@request.json" : quoted(json); // a shell takes only so much in a line
    const data = body === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${sent}`];
    const words = ["curl", ...token, ...data, ...options, quoted(new URL(address, location.origin).href)];
    command.textContent = words.join(" ");
  };
  show(view);
  return { part, query, show };
}

/** Return a text as one word of a shell. */
const quoted = (text) => (/^[\w./:=%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

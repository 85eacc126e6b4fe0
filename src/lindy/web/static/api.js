// What the page asks of the service. A service that wants a token gets it from here: the user is asked once, and the
// token lives as long as the tab.

import { h } from "./dom.js";

const TOKEN = "lindy-token";

/** What the service says is wrong, in its own words. */
export class ServiceError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;

export const tokenHeader = () => (hasToken() ? { Authorization: `Bearer ${sessionStorage.getItem(TOKEN)}` } : {});

/** Ask the service; returns the response, whose status is below 400. */
export async function call(address, options = {}) {
  for (;;) {
    const had = hasToken();
    const response = await reach(address, { ...options, headers: { ...options.headers, ...tokenHeader() } });
    if (response.ok) return response;
    if (response.status !== 401) throw problemIn(response.status, await response.text());
    sessionStorage.removeItem(TOKEN);
    await askForToken(had ? "The service did not accept this token." : "");
  }
}

async function reach(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServiceError(0, "unreachable", "The service does not answer. Is it still running?");
  }
}

/** Return what is wrong, as an answer with a status of 400 or more says it. */
export function problemIn(status, text) {
  try {
    const { error } = JSON.parse(text);
    return new ServiceError(status, error.code, error.message);
  } catch {
    return new ServiceError(status, "unknown", `The service answered with status ${status}.`);
  }
}

export const get = async (address) => (await call(address)).json();

export async function post(address, body, options = {}) {
  const headers = { "Content-Type": "application/json" };
  return (await call(address, { ...options, method: "POST", headers, body: JSON.stringify(body) })).json();
}

let asking = null;

/** Ask the user for the token; several requests that need it wait for one answer. */
function askForToken(complaint) {
  asking ??= new Promise((resolve) => {
    const field = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
    const form = h(
      "form",
      { method: "dialog" },
      h("h2", { id: "token-title" }, "This service asks for a token"),
      complaint ? h("p", { class: "problem", role: "alert" }, complaint) : null,
      h("p", {}, "Whoever runs the service has it. It is kept until you close this tab."),
      h("p", { class: "field" }, h("label", { for: "token" }, "Token"), field),
      h("button", { class: "main" }, "Continue"),
    );
    const dialog = h("dialog", { "aria-labelledby": "token-title" }, form);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(TOKEN, field.value.trim());
      dialog.remove();
      asking = null;
      resolve();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}

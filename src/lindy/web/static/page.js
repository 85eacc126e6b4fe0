// What the views share: settings and the address that holds them, the newest of many calls, places for messages.

import { h, shortened } from "./dom.js";

const SETTINGS = "lindy-settings";
const LONGEST_IN_ADDRESS = 8000;
const LONGEST_KEPT = 500_000; // characters: browsers give a tab some megabytes
const HOW_SURE = 0.6; // until the user says otherwise

let now = { ...JSON.parse(sessionStorage.getItem(SETTINGS) ?? "{}"), ...fragment() };
let waiting = null;

addEventListener("hashchange", () => (now = { ...now, ...fragment() }));

function fragment() {
  const pairs = [...new URLSearchParams(location.hash.slice(1))];
  return Object.fromEntries(pairs.filter(([, value]) => value !== "")); // #type-Card is a place, no setting
}

/** Return what the address says after its #, with what was last used in this tab below it. */
export const settings = () => now;

/** Remember settings in the tab; what is empty is forgotten. */
export function keep(changes) {
  now = Object.fromEntries(
    Object.entries({ ...now, ...changes }).filter(([, value]) => value !== null && value !== ""),
  );
  sessionStorage.setItem(SETTINGS, JSON.stringify(shorter(LONGEST_KEPT)));
}

const shorter = (most) => Object.fromEntries(Object.entries(now).filter(([, value]) => value.length <= most));

/** Remember settings in the tab and in the address. */
export function remember(changes) {
  keep(changes);
  const address = `${location.pathname}${location.search}#${new URLSearchParams(shorter(LONGEST_IN_ADDRESS))}`;
  // browsers refuse an address that changes with every keystroke
  clearTimeout(waiting);
  waiting = setTimeout(() => history.replaceState(null, "", address), 200);
}

/** Return how probable a label must be to be given; without one, the labels that have nothing of their own. */
export function howSure(label = null) {
  const sure = Number(settings().sure ?? HOW_SURE);
  return (label === null ? undefined : ownSure().get(label)) ?? (isShare(sure) ? sure : HOW_SURE);
}

/** Return how probable single labels must be. */
export function ownSure() {
  try {
    const pairs = JSON.parse(settings().own ?? "[]");
    return new Map(pairs.filter(([label, sure]) => typeof label === "string" && isShare(sure)));
  } catch {
    return new Map(); // somebody has changed the address
  }
}

const isShare = (value) => typeof value === "number" && value >= 0 && value <= 1;

/** Return the model of this name, or the one that the service takes unasked. */
export const modelNamed = (models, wanted) =>
  models.find((model) => model.name === wanted) ?? models.find((model) => model.default) ?? models[0];

/** Run work for the newest input: one call at a time, and what came meanwhile next. */
export function newest(work) {
  let running = false;
  let again = false;
  return async () => {
    again = true;
    if (running) return;
    running = true;
    try {
      while (again) {
        again = false;
        await work();
      }
    } finally {
      running = false;
    }
  };
}

/** Return a region whose text is read out, once it has not changed for a moment. */
export function announcer() {
  const region = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
  let timer = null;
  const say = (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (region.textContent !== text) region.textContent = text;
    }, 500);
  };
  return { region, say };
}

/** Return a place for what went wrong. */
export function problemPlace() {
  const place = h("p", { class: "problem", role: "alert", hidden: true });
  const tell = (error) => {
    place.hidden = error === null;
    place.textContent = error === null ? "" : error.message;
  };
  return { place, tell };
}

/** Give the page its title. */
export function title(text) {
  document.title = `${shortened(text, 60)} · lindy`;
}

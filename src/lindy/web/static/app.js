// The page begins here: the models, the navigation, and the view that the address names.

import { get } from "./api.js";
import { h, shortened } from "./dom.js";
import { keep, modelNamed, newest, remember, settings, title } from "./page.js";

const VIEWS = { "/": "try", "/compare": "compare", "/table": "table", "/sure": "sure", "/docs": "reference" };

const main = document.querySelector("main");
const chooser = document.querySelector("#model");
const path = location.pathname.replace(/(.)\/$/, "$1");
const isCard = path.startsWith("/models");

async function begin() {
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the part after # holds the view's settings
    main.focus();
  });
  await orProblem(async () => {
    const service = await get("/v1/models");
    const refresh = newest(() => orProblem(() => view(service)));
    prepareChooser(service.models, refresh);
    addEventListener("hashchange", () => path !== "/docs" && refresh());
    await refresh();
  });
}

/** Show the view that the address names, of the model that the address or the user names. */
async function view(service) {
  const wanted = isCard ? decodeURIComponent(path.slice("/models/".length)) : settings().model;
  const model = modelNamed(service.models, wanted);
  chooser.value = model.name;
  markCurrent(model);
  const module = isCard ? "card" : VIEWS[path];
  if (module === undefined || (isCard && wanted && wanted !== model.name)) return missing();
  if (isCard) keep({ model: model.name }); // the other views go on with it
  await (await import(`./${module}.js`)).show(main, model, service);
}

function prepareChooser(models, refresh) {
  chooser.replaceChildren(...models.map(({ name }) => h("option", { value: name }, shortened(name, 30))));
  chooser.closest(".chooser").hidden = models.length < 2 || ["/compare", "/docs"].includes(path);
  chooser.addEventListener("change", () => {
    if (isCard) {
      location.href = `/models/${encodeURIComponent(chooser.value)}`;
    } else {
      remember({ model: chooser.value });
      refresh();
    }
  });
}

async function orProblem(work) {
  try {
    await work();
  } catch (error) {
    main.replaceChildren(
      h("h1", {}, "This did not work"),
      h("p", { class: "problem", role: "alert" }, error.message),
    );
  }
}

function markCurrent(model) {
  const card = document.querySelector("#card");
  card.href = `/models/${encodeURIComponent(model.name)}`;
  for (const link of document.querySelectorAll("nav a")) {
    if (isCard ? link === card : link.getAttribute("href") === path) link.setAttribute("aria-current", "page");
  }
}

function missing() {
  title("Not found");
  main.replaceChildren(
    h("h1", {}, "There is no such page"),
    h("p", {}, h("a", { href: "/" }, "Try a text"), " or choose a view above."),
  );
}

begin();

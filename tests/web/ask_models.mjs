// Answers for exported models, line by line: {data?, ask, examples, options?} → what the method `ask` of the model that was given
// last gives for each example.
import { createInterface } from "node:readline";

const { Model } = await import(process.argv[2]);
let model;

/** What the model's tables say of some code points: kinds, shapes, and what they become. */
function characters(model, points) {
  const { kinds, shapes } = model.characters;
  const folded = points.map((c) => model.characters.fold([c], 0).points);
  return { kinds: points.map((c) => kinds[c]), shapes: points.map((c) => shapes[c]), folded };
}

/** JSON has no infinities. */
function plain(key, value) {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { data, ask, examples, options } = JSON.parse(line);
  if (data) model = await Model.from(data);
  const answers = examples.map((example) => {
    try {
      return ask === "characters" ? characters(model, example) : model[ask](example, options);
    } catch (error) {
      return { error: `${error.name}: ${error.message}` };
    }
  });
  console.log(JSON.stringify(answers, plain));
}

// Held-out answers, counted from the surest one down. A place is a position of a slider: the number of an edge.

import { remember } from "./page.js";

/** Return, for each place and label, how many answers at least that sure are right and wrong. */
export function cumulated({ labels, bins, n }) {
  const above = (counts) => {
    const sums = [labels.map(() => 0)];
    for (const row of counts.toReversed()) sums.push(sums.at(-1).map((sum, k) => sum + row[k]));
    return sums.reverse();
  };
  return { labels, n, edges: bins.edges, right: above(bins.right), wrong: above(bins.wrong) };
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** Return the answers that are given with one place for each label. */
export const total = ({ labels, right, wrong }, places) => ({
  right: sum(labels.map((_, k) => right[places[k]][k])),
  wrong: sum(labels.map((_, k) => wrong[places[k]][k])),
});

/** Return the answers of all labels with one place for all. */
export const together = (held, place) => ({ right: sum(held.right[place]), wrong: sum(held.wrong[place]) });

/** Return the lowest place at which this share of the given answers is right, -1 if there is none. */
export const placeFor = (held, share, at) =>
  held.edges.findIndex((_, place) => {
    const { right, wrong } = at(place);
    return right + wrong > 0 && right / (right + wrong) >= share;
  });

/**
 * Return how sure labels must be, as places: `common` for all labels but those of `own`, which have one of their own.
 * What changes is remembered for the other views.
 */
export function thresholds(held, sure, ownSure) {
  const last = held.edges.length - 1;
  const placeOf = (share) => {
    const place = held.edges.findIndex((edge) => edge >= share - 1e-9);
    return place < 0 ? last : place;
  };
  const made = {
    common: placeOf(sure),
    own: new Map([...ownSure].filter(([label]) => held.labels.includes(label)).map(([l, s]) => [l, placeOf(s)])),
    of: (label) => made.own.get(label) ?? made.common,
    places: () => held.labels.map(made.of),
    remember: () => {
      const own = [...made.own].map(([label, place]) => [label, held.edges[place]]);
      remember({ sure: String(held.edges[made.common]), own: own.length > 0 ? JSON.stringify(own) : "" });
    },
  };
  return made;
}

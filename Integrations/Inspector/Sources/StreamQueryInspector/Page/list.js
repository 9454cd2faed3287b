// The list of keys: the look of a row, and which rows a list shows in which order. This file is pure.
//
// With 100,000 keys an order takes longer than a frame. So `ordered` is a generator, which the page runs in slices.

import { state } from "./record.js";

/** How an entry looks: each has a colour and a shape. */
export const looks = ["fresh", "stale", "fetching", "paused", "error", "pending", "unknown"];

export const lookWords = {
  fresh: "fresh", stale: "stale", fetching: "fetching", paused: "paused", error: "failed", pending: "no data", unknown: "has data",
};

export function look(record, s, at) {
  const fetching = state.fetching(s);
  if (fetching !== "idle") return fetching;
  if (state.status(s) === "error") return "error";
  return settledLook(record, s, at);
}

export function settledLook(record, s, at) {
  if (!state.hasData(s)) return "pending";
  const fresh = record.freshness(s, at);
  if (fresh === null) return state.isInvalidated(s) ? "stale" : "unknown";
  return fresh > 0 ? "fresh" : "stale";
}

/** The beginning of a key that it shares with its group. */
export function groupOf(lane, depth) {
  if (lane.group?.depth === depth) return lane.group.name;
  const parts = lane.parts.slice(0, depth).map((part) => JSON.stringify(part)?.slice(0, 80));
  if (lane.parts.length > depth) parts.push("…");
  lane.group = { depth, name: `[${parts.join(", ")}]` };
  return lane.group.name;
}

// Text whose order is that of people: key 9 before key 10.
function sortText(lane) {
  lane.sortText ??= lane.text.slice(0, 200).toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
  return lane.sortText;
}

const looksBySeverity = ["error", "paused", "fetching", "stale", "pending", "unknown", "fresh"];

/** What the rows can be sorted by. Numbers are sorted from the greatest. */
export const columns = {
  key: (record, row) => sortText(row.key.lane),
  status: (record, row, at) => looksBySeverity.indexOf(look(record, row.state, at)),
  freshness: (record, row, at) => record.freshness(row.state, at) ?? 2,
  observers: (record, row) => -state.observers(row.state),
  fetches: (record, row) => -row.fetch,
  age: (record, row) => -(state.updatedAt(row.state) ?? Infinity),
  size: (record, row) => -(record.value(row)?.length ?? -1),
  cause: (record, row) => (row.fetch || state.cause(row.state) !== "none" ? state.cause(row.state) : "~"),
  news: (record, row) => -row.n,
};

export function matcher(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (lane) => {
    if (!words.length) return true;
    lane.lowText ??= lane.text.toLowerCase();
    return words.every((word) => lane.lowText.includes(word) || lane.type.toLowerCase().includes(word));
  };
}

/**
 * The order of a list. Yields from time to time; returns `{ items, counts, shown, all }`, whose items are lanes and groups.
 *
 * `by`: `{ text, looks: Set, sort, isReversed, depth, closed: Set }`.
 */
export function* ordered(record, moment, at, by) {
  const counts = Object.fromEntries(looks.map((name) => [name, 0]));
  const matches = matcher(by.text);
  const value = columns[by.sort] ?? columns.key;
  const lanes = [];
  let all = 0;
  let steps = 0;
  for (const row of moment.rows) {
    steps += 1;
    if (steps % 512 === 0) yield;
    if (!row) continue;
    all += 1;
    const { lane } = row.key;
    if (!matches(lane)) continue;
    const name = look(record, row.state, at);
    counts[name] += 1;
    if (by.looks.size && !by.looks.has(name)) continue;
    lane.value = value(record, row, at);
    lanes.push(lane);
  }
  const turn = by.isReversed ? -1 : 1;
  const compare = (a, b) => {
    if (a.value < b.value) return -turn;
    if (a.value > b.value) return turn;
    const [x, y] = [sortText(a), sortText(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };
  const sorted = yield* mergeSorted(lanes, compare);
  const items = by.depth > 0 ? yield* grouped(record, moment, at, sorted, by) : sorted;
  return { items, counts, shown: sorted.length, all };
}

function* mergeSorted(list, compare) {
  const width = 256;
  let from = [];
  for (let i = 0; i < list.length; i += width) {
    from.push(list.slice(i, i + width).sort(compare));
    yield;
  }
  while (from.length > 1) {
    const to = [];
    for (let i = 0; i < from.length; i += 2) {
      if (i + 1 === from.length) to.push(from[i]);
      else to.push(yield* merged(from[i], from[i + 1], compare));
      yield;
    }
    from = to;
  }
  return from[0] ?? [];
}

function* merged(a, b, compare) {
  const result = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    result.push(compare(a[i], b[j]) <= 0 ? a[i++] : b[j++]);
    if (result.length % 512 === 0) yield;
  }
  for (; i < a.length; i += 1) result.push(a[i]);
  for (; j < b.length; j += 1) result.push(b[j]);
  return result;
}

function* grouped(record, moment, at, lanes, by) {
  const groups = new Map();
  let steps = 0;
  for (const lane of lanes) {
    steps += 1;
    if (steps % 512 === 0) yield;
    const name = groupOf(lane, by.depth);
    let group = groups.get(name);
    if (!group) {
      group = { isGroup: true, name, lanes: [], looks: {}, isClosed: by.closed.has(name) };
      groups.set(name, group);
    }
    group.lanes.push(lane);
    const row = record.row(moment, lane);
    if (row) {
      const found = look(record, row.state, at);
      group.looks[found] = (group.looks[found] ?? 0) + 1;
    }
  }
  const items = [];
  for (const group of groups.values()) {
    items.push(group);
    if (group.isClosed) continue;
    for (const lane of group.lanes) {
      items.push(lane);
      steps += 1;
      if (steps % 2048 === 0) yield;
    }
  }
  return items;
}

// Draws lanes of the timeline onto a canvas: one lane a key, or one a mutation.

import { settledLook } from "./list.js";
import { code, isOver, runPhases, state } from "./record.js";
import { causeWords, short } from "./words.js";

const most = 4000;

export function box(g, colour, x, y, width, height, alpha = 1) {
  g.globalAlpha = alpha;
  g.fillStyle = colour;
  g.fillRect(x, y, width, height);
  g.globalAlpha = 1;
}

/** Fills the polygon of the points, which are relative to a place. */
export function polygon(g, colour, x, y, ...points) {
  g.fillStyle = colour;
  g.beginPath();
  for (const [dx, dy] of points) g.lineTo(x + dx, y + dy);
  g.closePath();
  g.fill();
}

function stroke(g, colour, width, ...points) {
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  for (const [x, y] of points) g.lineTo(x, y);
  g.stroke();
}

function ring(g, colour, width, x, y, radius) {
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  g.arc(x, y, radius, 0, 7);
  g.stroke();
}

/** Draws `lane` at height `y`. `view`: `{ g, x, from, to, end, record, colours, size, hit }`. */
export function drawLane(view, lane, y) {
  const { g, record, from, to, x, colours, size } = view;
  const { events } = lane;
  let [first, last] = record.range(events, from, to);
  // The state on the left edge, and the fetch that runs there.
  let start = Math.max(0, first - 1);
  for (let back = 0; start > 0 && back < 48; back += 1) {
    const kind = record.event(events[start])[1];
    if (kind === code.fetchStarted || kind === code.added) break;
    start -= 1;
  }
  if (last - start > most) start = last - most;
  last = Math.min(events.length, last + 1);
  const middle = y + size / 2;
  let s = null;
  for (const key of lane.keys) s = record.base.rows[key.slot]?.state ?? s;
  if (start > 0) s = record.event(events[start - 1]).at(-1);
  // A layer that was there before, of whichever run.
  const layers = new Map(s && state.isLayered(s) ? [[0, from]] : []);
  let since = start > 0 ? record.event(events[start - 1])[0] : -Infinity;
  let fetch = s && state.fetching(s) !== "idle" ? { begin: from, piece: from, kind: state.fetching(s), until: null, n: null, s } : null;
  const marks = [];
  for (let i = start; i < last; i += 1) {
    const n = events[i];
    const event = record.event(n);
    const [at, kind] = event;
    if (at > to && !fetch && !layers.size) {
      break;
    }
    segment(view, s, since, Math.min(at, to), middle);
    const after = event.at(-1);
    // An entry may be gone after any event.
    switch (after === null ? code.removed : kind) {
      case code.fetchStarted:
        if (fetch) piece(view, fetch, at, middle);
        fetch = { begin: at, piece: at, kind: state.fetching(after) === "paused" ? "paused" : "fetching", until: null, n, s: after };
        break;
      case code.attemptFailed:
        if (fetch) {
          piece(view, fetch, at, middle);
          [fetch.piece, fetch.kind, fetch.until] = [at, "waiting", at + event[5]];
        }
        marks.push([n, at, kind]);
        break;
      case code.fetchPaused: case code.fetchResumed:
        if (fetch) {
          piece(view, fetch, at, middle);
          [fetch.piece, fetch.kind, fetch.until] = [at, kind === code.fetchPaused ? "paused" : "fetching", null];
        }
        break;
      case code.fetchSucceeded: case code.fetchFailed: case code.fetchCancelled:
        if (fetch) {
          piece(view, fetch, at, middle);
          label(view, fetch, at, middle);
          if (fetch.n !== null) view.hit(x(fetch.begin), x(at), y, size, fetch.n, lane);
          fetch = null;
        }
        if (kind !== code.fetchSucceeded) marks.push([n, at, kind]);
        break;
      case code.layerAdded:
        if (!s || !state.isLayered(s)) layers.clear();
        layers.set(event[3], at);
        break;
      case code.layerRemoved:
        layer(view, layers.get(event[3]) ?? from, at, y);
        layers.delete(event[3]);
        marks.push([n, at, kind]);
        break;
      case code.removed:
        for (const begin of layers.values()) layer(view, begin, at, y);
        layers.clear();
        fetch = null;
        marks.push([n, at, kind]);
        break;
      case code.changed: break;
      default: marks.push([n, at, kind]);
    }
    [s, since] = [after, at];
  }
  const end = Math.min(view.end, to);
  segment(view, s, since, end, middle);
  for (const begin of layers.values()) if (s && state.isLayered(s)) layer(view, begin, end, y);
  if (fetch && s) {
    piece(view, fetch, end, middle);
    label(view, fetch, end, middle);
    if (fetch.n !== null) view.hit(x(fetch.begin), x(end), y, size, fetch.n, lane);
  }
  const before = new Map();
  for (const [n, at, kind] of marks) {
    if (at < from || at > to) continue;
    const place = x(at);
    if (place - (before.get(kind) ?? -99) < 2.5) continue;
    before.set(kind, place);
    mark(view, kind, place, middle);
    view.hit(place - 6, place + 6, y, size, n, lane);
  }
  if (view.selectedEvent !== null) {
    const event = record.event(view.selectedEvent);
    if (event && record.keys.get(event[2])?.lane === lane && event[1] < code.runStarted && event[0] >= from && event[0] <= to) {
      ring(g, colours.accent, 2, x(event[0]), middle, size / 2 - 2);
    }
  }
}

// The data between two events: a wedge that runs down while it is fresh, then a hatched line.
function segment({ g, x, from, record, colours, hatch }, s, since, until, middle) {
  if (!s || until <= from) return;
  const begin = Math.max(since, from);
  const [a, b] = [x(begin), x(until)];
  if (b - a < 0.4) return;
  const name = settledLook(record, s, begin);
  if (name === "pending" || name === "unknown") {
    g.fillStyle = state.status(s) === "error" ? colours.error : colours[name];
    if (name === "unknown") g.fillRect(a, middle - 1.5, b - a, 3);
    else for (let dot = Math.ceil(a / 6) * 6; dot < b; dot += 6) g.fillRect(dot, middle - 1, 2, 2);
    return;
  }
  const time = record.staleTime(s);
  let edge = name === "fresh" ? until : begin;
  if (name === "fresh" && typeof time === "number") {
    edge = Math.min(until, state.updatedAt(s) + time);
    const height = (at) => 1.2 + 3.8 * record.freshness(s, at);
    const [c, p, q] = [x(edge), height(begin), height(edge)];
    polygon(g, colours.fresh, 0, middle, [a, -p], [c, -q], [c, q], [a, p]);
  } else if (name === "fresh") {
    box(g, colours.fresh, a, middle - 5, b - a, 10);
  }
  if (edge < until) box(g, hatch("stale"), x(edge), middle - 2.5, b - x(edge), 5);
}

// A piece of a fetch: an attempt, the wait after it, or a pause.
function piece(view, fetch, until, middle) {
  const { g, x, from, colours, hatch } = view;
  const draw = (begin, end, fill) => {
    const [a, b] = [x(Math.max(begin, from)), x(Math.max(end, from))];
    const width = Math.max(b - a, 2);
    box(g, colours.panel, a - 1, middle - 8, width + 2, 16);
    round(g, fill, a, middle - 7, width, 14);
  };
  if (until < from) return;
  if (fetch.kind === "waiting") {
    const edge = Math.min(until, fetch.until);
    draw(fetch.piece, edge, hatch("fetching"));
    if (edge < until) draw(edge, until, colours.fetching);
  } else {
    draw(fetch.piece, until, fetch.kind === "paused" ? hatch("paused") : colours.fetching);
  }
}

function round(g, colour, x, y, width, height) {
  g.fillStyle = colour;
  g.beginPath();
  g.roundRect(x, y, width, height, Math.min(3, width / 2));
  g.fill();
}

function label({ g, x, from, colours, font }, fetch, until, middle) {
  const begin = Math.max(fetch.piece, from);
  const room = x(until) - x(begin) - 10;
  if (fetch.kind !== "fetching" || room < 34) return;
  const text = causeWords[state.cause(fetch.s)];
  g.font = font;
  if (g.measureText(text).width > room) return;
  g.fillStyle = colours.onAccent;
  g.fillText(text, x(begin) + 5, middle + 0.5);
}

function layer({ g, x, from, colours, size }, begin, until, y) {
  if (until < from) return;
  const [a, b] = [x(Math.max(begin, from)), x(until)];
  box(g, colours.layer, a, y + 1.5, Math.max(b - a, 2), size - 3, 0.2);
  box(g, colours.layer, a, y + 1.5, Math.max(b - a, 2), 2);
}

function mark({ g, colours }, kind, x, middle) {
  const fill = (colour, ...points) => {
    polygon(g, colour, x, middle, ...points);
    g.strokeStyle = colours.panel;
    g.lineWidth = 1;
    g.stroke();
  };
  const circle = (colour, radius) => {
    ring(g, colour, 1.8, x, middle, radius);
    g.fillStyle = colours.panel;
    g.fill();
    g.stroke();
  };
  switch (kind) {
    case code.written: fill(colours.unknown, [0, -6.5], [6.5, 0], [0, 6.5], [-6.5, 0]); break;
    case code.invalidated: fill(colours.stale, [-5.5, -9], [5.5, -9], [0, 0]); break;
    case code.reset: circle(colours.pending, 4.5); break;
    case code.removed: {
      box(g, colours.panel, x - 4.5, middle - 4.5, 9, 9);
      g.lineWidth = 1.8;
      g.strokeStyle = colours.pending;
      g.strokeRect(x - 4, middle - 4, 8, 8);
      break;
    }
    case code.attemptFailed: case code.fetchFailed: case code.runRetries: case code.runFailed: case code.runStopped:
      for (const [colour, width] of [[colours.panel, 5], [colours.error, 2.2]]) {
        for (const side of [-4, 4]) stroke(g, colour, width, [x - side, middle - 4], [x + side, middle + 4]);
      }
      break;
    case code.fetchCancelled: case code.runCancelled: fill(colours.pending, [-1.5, -8], [1.5, -8], [1.5, 8], [-1.5, 8]); break;
    case code.servedStale: circle(colours.stale, 4); break;
    case code.observed: fill(colours.soft, [-4, 11], [4, 11], [0, 6]); break;
    case code.unobserved: fill(colours.soft, [-4, 6], [4, 6], [0, 11]); break;
    case code.added: fill(colours.soft, [-1, -8], [1, -8], [1, 8], [-1, 8]); break;
    case code.replaced: circle(colours.soft, 3); break;
  }
}

/** What the signs of a lane mean. Each is drawn into 34 by 16, as in a lane. */
export const signs = [
  ["data, fresh until the wedge ends", ({ g, colours }) => polygon(g, colours.fresh, 1, 8, [0, -5], [32, -1.2], [32, 1.2], [0, 5])],
  ["data, stale", ({ g, hatch }) => box(g, hatch("stale"), 1, 5.5, 32, 5)],
  ["an attempt of a fetch", ({ g, colours }) => round(g, colours.fetching, 1, 1, 32, 14)],
  ["waits for the next attempt", ({ g, hatch }) => round(g, hatch("fetching"), 1, 1, 32, 14)],
  ["waits for network, app or scope", ({ g, hatch }) => round(g, hatch("paused"), 1, 1, 32, 14)],
  ["optimistic layer of a mutation", (view) => layer(view, 1, 33, 0)],
  ["an attempt of a mutation", ({ g, colours }) => round(g, colours.layer, 1, 1, 32, 14)],
  ["failed", (view) => mark(view, code.fetchFailed, 17, 8)],
  ["written", (view) => mark(view, code.written, 17, 8)],
  ["invalidated", (view) => mark(view, code.invalidated, 17, 12)],
  ["observer came, left", (view) => [code.observed, code.unobserved].forEach((kind, i) => mark(view, kind, 12 + i * 12, 0))],
  ["removed", (view) => mark(view, code.removed, 17, 8)],
];

/** Draws the runs of a mutation: `lane` is `{ text, runs }`. */
export function drawRuns(view, lane, y) {
  const { g, record, from, to, x, colours, size, hatch } = view;
  const rows = lane.runs.length > 1 && lane.overlaps ? 2 : 1;
  // Runs begin in the order of their numbers.
  let last = lane.runs.length;
  while (last > 0 && lane.runs[last - 1].started > to) last -= 1;
  const first = Math.max(0, last - 2000);
  lane.runs.slice(first, last).forEach((run, i) => {
    const index = first + i;
    const height = (size - 6) / rows - (rows > 1 ? 1 : 0);
    const top = y + 3 + (rows > 1 ? (index % 2) * (height + 2) : 0);
    let phase = record.base.runs[run.slot]?.phase ?? null;
    let since = phase ? run.started : null;
    const draw = (until) => {
      if (phase === null || isOver(phase) || until < from || since > to) return;
      const [a, b] = [x(Math.max(since, from)), x(Math.min(until, to))];
      const hatched = { paused: "paused", started: "paused", retrying: "layer", stopped: "error" }[phase];
      round(g, hatched ? hatch(hatched) : colours.layer, a, top, Math.max(b - a, 2), height);
    };
    const marks = [];
    for (const n of run.events) {
      const event = record.event(n);
      draw(event[0]);
      if (event[1] !== code.callbackFailed) [phase, since] = [runPhases.get(event[1]) ?? phase, event[0]];
      marks.push([n, event[0], event[1]]);
    }
    draw(Math.min(view.end, to));
    for (const [n, at, kind] of marks) {
      if (at < from || at > to) continue;
      const [place, middle] = [x(at), top + height / 2];
      mark(view, kind, place, middle);
      view.hit(place - 5, place + 5, y, size, n, lane);
      if (kind === code.runSucceeded) stroke(g, colours.fresh, 2.2, [place + 3, middle], [place + 6, middle + 3], [place + 11, middle - 4]);
      if (n === view.selectedEvent) ring(g, colours.accent, 2, place, middle, size / 2 - 2);
    }
  });
}

export function fitted(g, text, room) {
  const cut = short(text, 120);
  if (g.measureText(cut).width <= room) return cut;
  // Keys differ at their end as often as at their beginning.
  const shortened = (length) => `${cut.slice(0, Math.ceil(length * 0.45))}…${cut.slice(cut.length - Math.floor(length * 0.55))}`;
  let [low, high] = [0, cut.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (g.measureText(shortened(middle)).width <= room) low = middle; else high = middle - 1;
  }
  return shortened(low);
}

// Sentences and short texts about a record. This file is pure.

import { below, code, removals, state, verbs } from "./record.js";

export function duration(micros) {
  const ms = Math.floor(Math.max(0, micros) / 1000);
  if (ms < 1) return "less than 1 ms";
  if (ms < 1000) return `${ms} ms`;
  if (ms < 10_000) return `${Math.floor(ms / 100) / 10} s`;
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${s} s`;
  const two = (big, bigUnit, small, smallUnit) => (small ? `${big} ${bigUnit} ${small} ${smallUnit}` : `${big} ${bigUnit}`);
  const min = Math.floor(s / 60);
  if (min < 60) return two(min, "min", s % 60, "s");
  const h = Math.floor(min / 60);
  if (h < 24) return two(h, "h", min % 60, "min");
  return two(Math.floor(h / 24), "d", h % 24, "h");
}

export function clock(micros, digits = 3) {
  const sign = micros < 0 ? "−" : "";
  const seconds = Math.abs(micros) / 1e6;
  const scale = 10 ** digits;
  const whole = Math.floor(seconds * scale + 1e-6) / scale;
  if (whole < 60) return `${sign}${whole.toFixed(digits)} s`;
  const rest = (whole % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${sign}${minutes}:${rest}`;
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(count < 1e4 ? 1 : 0)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

export const grouped = (count) => count.toLocaleString("en");

export const plural = (count, one, many = `${one}s`) => `${grouped(count)} ${count === 1 ? one : many}`;

export const short = (text, length = 240) => (text.length > length ? `${text.slice(0, length)}…` : text);

// MARK: Why did this refetch?

/** A sentence about the fetch that event `n` belongs to; null for other events. */
export function why(record, n) {
  const event = record.event(n);
  if (!event || event[1] < code.fetchStarted || event[1] > code.fetchCancelled) return null;
  const start = startOf(record, n);
  if (start === null) return "The record does not go back to the start of this fetch.";
  const [at, , number] = record.event(start);
  const before = record.stateBefore(start);
  const condition = () => conditionOf(record, before, at);
  switch (causeOf(record.event(start))) {
    case "subscribed": return `A stream subscribed${condition()}.`;
    case "invalidated": {
      const mark = newest(record, number, start, (event) => event[1] === code.invalidated) ?? start;
      const past = at - record.event(mark)[0];
      return `It was invalidated${past >= 1000 ? ` ${duration(past)} before` : ""}${bulkOf(record, 0, mark, number)}.`;
    }
    case "interval": {
      const options = record.options.get(state.options(record.event(start).at(-1)));
      const interval = options?.refetchInterval;
      return typeof interval === "number" ? `Its refetch interval of ${duration(interval)} passed.` : "Its refetch interval passed.";
    }
    case "active": return returned(record, code.activity, start, "The app became active", "") + `${condition()}.`;
    case "reconnect": return returned(record, code.network, start, "The network came back", " offline") + `${condition()}.`;
    case "manual": {
      const call = bulkCall(record, 1, start, number);
      return call ? `refetch(${short(call[3])}) asked for it.` : "Code asked for it: fetch, ensure, prefetch or refetch.";
    }
    case "reset": return `It was reset${bulkOf(record, 2, start, number)}.`;
    case "trigger": {
      // A trigger fires in a transaction of its own, and its fetches follow.
      const named = conditionBefore(record, start, (event) => event[1] === code.trigger && concerns(event[2], "refetch(on:) of ", record, number), 1e6);
      return named ? `The trigger ${short(named[2])} fired.` : "A trigger fired.";
    }
    default: return "The record does not say why.";
  }
}

const causeOf = (event) => (event.at(-1) ? state.cause(event.at(-1)) : "none");

/** The number of the newest fetch that a key began by event `end`, or null. */
export function lastFetch(record, lane, end) {
  for (let i = below(lane.events, end) - 1; i >= 0; i -= 1) {
    if (record.event(lane.events[i])[1] === code.fetchStarted) return lane.events[i];
  }
  return null;
}

function startOf(record, n) {
  const [, kind, number, fetch] = record.event(n);
  if (kind === code.fetchStarted) return n;
  return newest(record, number, n, (event) => event[1] === code.fetchStarted && event[3] === fetch);
}

function newest(record, number, before, matches) {
  const key = record.keys.get(number);
  if (!key) return null;
  const { events } = key.lane;
  for (let i = below(events, before) - 1; i >= 0; i -= 1) {
    const event = record.event(events[i]);
    if (event[2] === number && matches(event)) return events[i];
  }
  return null;
}

function conditionOf(record, s, at) {
  if (!s || !state.hasData(s) || state.updatedAt(s) === null) return ", and there was no data";
  const time = record.staleTime(s);
  if (time === "static") return "";
  if (state.isInvalidated(s)) return ", and the data was invalidated";
  if (typeof time !== "number") return "";
  const stale = at - (state.updatedAt(s) + time);
  return stale >= 0 ? `, and the data had been stale for ${duration(stale)}` : "";
}

// The newest one before event `n` that is at most `earlier` older.
function conditionBefore(record, n, matches, earlier = 0) {
  for (let i = below(record.conditions, n) - 1; i >= 0; i -= 1) {
    const event = record.event(record.conditions[i]);
    if (event[0] < record.event(n)[0] - earlier) break;
    if (matches(event)) return event;
  }
  return null;
}

// A call for one key, or its own trigger, names it.
const concerns = (text, begin, record, key) => !text.startsWith(begin) || text.startsWith(begin + record.keys.get(key)?.text);

const bulkCall = (record, verb, n, key) => conditionBefore(record, n, ([, kind, call, filter]) => kind === code.bulk
  && call === verb && concerns(filter, ".key(", record, key));

function bulkOf(record, verb, n, key) {
  const call = bulkCall(record, verb, n, key);
  return call ? `, by ${verbs[verb]}(${short(call[3])})` : "";
}

function returned(record, kind, start, text, suffix) {
  let back = null;
  for (let i = below(record.conditions, start) - 1; i >= 0; i -= 1) {
    const event = record.event(record.conditions[i]);
    if (event[1] !== kind) continue;
    if (back === null && event[2] === 1) back = event;
    else if (back !== null && event[2] === 0) return `${text} after ${duration(back[0] - event[0])}${suffix}`;
  }
  return text;
}

// MARK: Who observes this?

/** Sentences about a key's observers and callers before event `end`. */
export function who(record, lane, row, at, end) {
  if (!row) return "It is not in the cache.";
  const s = row.state;
  const count = state.observers(s);
  const isObserved = count > 0;
  let oldest = null;
  for (let i = below(lane.events, end) - 1; i >= 0; i -= 1) {
    const event = record.event(lane.events[i]);
    if (event[2] !== row.key.number || event.at(-1) === null || (state.observers(event.at(-1)) > 0) !== isObserved) break;
    oldest = lane.events[i];
  }
  const before = oldest === null ? null : record.stateBefore(oldest);
  const begins = oldest !== null && ((before ? state.observers(before) : 0) > 0) !== isObserved;
  const since = begins ? record.event(oldest)[0] : at;
  let text = "Nobody observes it.";
  if (isObserved) {
    text = count === 1 ? "1 observer observes it" : `${count} observers observe it`;
    if (!state.isEnabled(s)) text += count === 1 ? ", and it is disabled" : ", and all are disabled";
    text += ".";
    if (begins) text += ` It has been observed for ${duration(at - since)}.`;
  } else if (begins) {
    text += ` The last observer left ${duration(at - since)} ago.`;
  }
  const waiters = state.waiters(s);
  if (waiters === 1) text += " 1 caller waits for its fetch.";
  else if (waiters > 1) text += ` ${waiters} callers wait for its fetch.`;
  return text;
}

// MARK: Events

export const causeWords = {
  none: "–", subscribed: "observer came", invalidated: "invalidated", interval: "interval", active: "app active",
  reconnect: "network back", manual: "by code", reset: "reset", trigger: "trigger",
};

const errorText = (record, number) => short(record.errors.get(number) ?? `error ${number}`);

export function line(record, event) {
  const run = (number) => short(record.runs.get(number)?.text ?? `run ${number}`, 80);
  const fetch = (words) => `Fetch ${event[3]} ${words}`;
  const ran = (words, error) => `${run(event[2])}: ${words}${error === undefined ? "" : `: ${errorText(record, error)}`}`;
  switch (event[1]) {
    case code.changed: return "Changed";
    case code.added: return "Added";
    case code.removed: return `Removed: ${removals[event[3]] ?? "gone"}${event[4] ? ", stays empty for its observers" : ""}`;
    case code.observed: return "Observer came";
    case code.unobserved: return "Observer left";
    case code.fetchStarted: return fetch(`began: ${causeWords[causeOf(event)]}`);
    case code.attemptFailed: return `Attempt ${event[4]} failed, again after ${duration(event[5])}: ${errorText(record, event[6])}`;
    case code.fetchPaused: return fetch("waits for the network or the app");
    case code.fetchResumed: return fetch("continues");
    case code.fetchSucceeded: return fetch(event[4] ? "found nothing new" : "succeeded");
    case code.fetchFailed: return fetch(`failed: ${errorText(record, event[4])}`);
    case code.fetchCancelled: return fetch("cancelled");
    case code.written: return "Written";
    case code.invalidated: return "Invalidated";
    case code.reset: return "Reset";
    case code.servedStale: return `Stale data served to ${plural(event[3], "caller")}`;
    case code.layerAdded: return `Optimistic layer of ${run(event[3])}`;
    case code.layerRemoved: return `Layer of ${run(event[3])} taken away`;
    case code.replaced: return "Another query, or other options";
    case code.runStarted: return ran("started");
    case code.runPaused: return ran("waits");
    case code.runResumed: return ran("continues");
    case code.attemptStarted: return ran(`attempt ${event[3] + 1}`);
    case code.runRetries: return ran(`failed, again after ${duration(event[4])}`, event[5]);
    case code.runStopped: return ran("stopped", event[3]);
    case code.callbackFailed: return ran(`${short(event[4], 40)} failed`, event[3]);
    case code.runSucceeded: return ran("succeeded");
    case code.runFailed: return ran("failed", event[3]);
    case code.runCancelled: return ran("cancelled");
    case code.network: return event[2] ? "Network back" : "Offline";
    case code.activity: return event[2] ? "App active" : "App inactive";
    case code.trigger: return `Trigger ${short(event[2], 80)}`;
    case code.storeFailed: return `${short(event[3], 80)} failed: ${errorText(record, event[4])}`;
    case code.bulk: return `${verbs[event[2]] ?? "call"}(${short(event[3], 120)}): ${plural(event[4], "entry", "entries")}`;
    case code.lost: return `${plural(event[2], "event")} lost`;
    default: return "An event that this page does not know";
  }
}

/** What an event changed in the state of its key, as texts. */
export function changes(record, n) {
  const after = record.event(n).at(-1);
  const before = record.stateBefore(n);
  if (!after || !before) return [];
  const found = [];
  const reads = {
    status: state.status, fetch: state.fetching, observers: state.observers, waiters: state.waiters, failures: state.failures,
    updates: state.updates, invalidated: state.isInvalidated, optimistic: state.isLayered, placeholder: state.isPlaceholder,
  };
  for (const [name, read] of Object.entries(reads)) {
    const [a, b] = [read(before), read(after)];
    if (a !== b) found.push({ name, from: String(a), to: String(b) });
  }
  return found;
}

/** Reads JSON. Whole numbers that would be rounded are `bigint`, if the browser tells how they are written. */
export const readJSON = (text) => JSON.parse(text, (name, value, context) => (
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source) ? BigInt(context.source) : value));

/** JSON with a line for each member. Strings and numbers stay as they are written. */
export function indented(json) {
  let [text, depth, last] = ["", 0, ""];
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const isEnd = token === "}" || token === "]";
    const isEmpty = isEnd && (last === "{" || last === "[");
    if (isEnd) depth -= 1;
    if ((isEnd || last === "{" || last === "[") && !isEmpty || last === ",") text += line();
    text += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    last = token;
  }
  return text;
}

/** The places at which two values of JSON differ: at most `most`, in order. */
export function differences(before, after, most = 20) {
  const found = [];
  const isBox = (x) => x !== null && typeof x === "object";
  const text = (x) => {
    if (x === undefined) return null;
    try {
      return typeof x === "bigint" ? String(x) : short(JSON.stringify(x, (name, one) => (typeof one === "bigint" ? String(one) : one)), 80);
    } catch {
      return "a value that nests too deeply";
    }
  };
  const walk = (a, b, path, depth) => {
    if (found.length >= most || a === b) return;
    if (!isBox(a) || !isBox(b) || Array.isArray(a) !== Array.isArray(b) || depth > 60) {
      found.push({ path: path || "value", from: text(a), to: text(b) });
      return;
    }
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const has = (x) => (Object.hasOwn(x, name) ? x[name] : undefined);
      walk(has(a), has(b), Array.isArray(a) ? `${path}[${name}]` : path ? `${path}.${name}` : name, depth + 1);
    }
  };
  walk(before, after, "", 0);
  return found;
}

// A record: what a cache did, folded into its state at any time. This file is pure.
//
// `Recording` reads version 1 of the format, whole or in parts. It keeps the last `keep` events, and folds older ones into
// `base`, the moment before the first event, so that memory is bounded.

export const version = 1;

export class RecordError extends Error {}

export const code = Object.freeze({
  changed: 0, added: 1, removed: 2, observed: 3, unobserved: 4, fetchStarted: 5, attemptFailed: 6, fetchPaused: 7,
  fetchResumed: 8, fetchSucceeded: 9, fetchFailed: 10, fetchCancelled: 11, written: 12, invalidated: 13, reset: 14,
  servedStale: 15, layerAdded: 16, layerRemoved: 17, replaced: 18,
  runStarted: 30, runPaused: 31, runResumed: 32, attemptStarted: 33, runRetries: 34, runStopped: 35, callbackFailed: 36,
  runSucceeded: 37, runFailed: 38, runCancelled: 39,
  network: 50, activity: 51, trigger: 52, storeFailed: 53, bulk: 54, lost: 60,
});

export const causes = ["none", "subscribed", "invalidated", "interval", "active", "reconnect", "manual", "reset", "trigger"];
export const removals = ["expired", "evicted", "removed", "cleared"];
export const verbs = ["invalidate", "refetch", "reset", "remove", "clear"];

export const state = {
  status: (s) => ["pending", "success", "error", "error"][s[0] & 3],
  fetching: (s) => ["idle", "fetching", "paused", "paused"][(s[0] >> 2) & 3],
  hasData: (s) => (s[0] & 16) !== 0,
  isInvalidated: (s) => (s[0] & 32) !== 0,
  isPlaceholder: (s) => (s[0] & 64) !== 0,
  isLayered: (s) => (s[0] & 128) !== 0,
  isEnabled: (s) => (s[0] & 256) !== 0,
  isEndless: (s) => (s[0] & 512) !== 0,
  cause: (s) => causes[(s[0] >> 12) & 15] ?? "none",
  observers: (s) => s[1],
  waiters: (s) => s[2],
  updatedAt: (s) => s[3],
  updates: (s) => s[4],
  failures: (s) => s[5],
  options: (s) => s[6],
};

const longest = 2 ** 53;
const isNumber = (x) => typeof x === "number" && x >= -longest && x <= longest;
const isCount = (x) => Number.isInteger(x) && x >= 0 && x <= longest;
const isText = (x) => typeof x === "string";
const isState = (s) => Array.isArray(s) && s.length >= 7 && isCount(s[0]) && isCount(s[1]) && isCount(s[2])
  && (s[3] === null || isNumber(s[3])) && isCount(s[4]) && isCount(s[5]) && isCount(s[6]);

// What the last element of a key's event may be: null if the entry is gone.
const isEnd = (s) => s === null || isState(s);

// The shapes of events: a letter for each count, number and text.
const checks = { c: isCount, n: isNumber, t: isText };
const shaped = (shapes, subject = "") => new Map(Object.entries(shapes).map(([kind, letters]) => [Number(kind), [...subject + letters].map((one) => checks[one])]));
// What stands between the subject and the state of a key's event.
const shapes = shaped({
  0: "", 1: "", 2: "cc", 3: "", 4: "", 5: "c", 6: "ccnc", 7: "c", 8: "c", 9: "cc", 10: "cc", 11: "c", 12: "", 13: "", 14: "",
  15: "c", 16: "c", 17: "c", 18: "",
}, "c");
const runShapes = shaped({ 30: "", 31: "", 32: "", 33: "c", 34: "cnc", 35: "c", 36: "ct", 37: "", 38: "c", 39: "" }, "c");
const otherShapes = shaped({ 50: "c", 51: "c", 52: "t", 53: "ctc", 54: "ctc", 60: "c" });

const errorPlaces = { 6: 6, 10: 4, 34: 5, 35: 3, 36: 3, 38: 3, 53: 4 };
const isShaped = (event, shape) => shape.every((check, i) => check(event[2 + i]));

// An event of keys that a later version adds ends with the state, like all others.
const known = (event) => {
  const [at, kind, key] = event;
  const isLater = Number.isInteger(kind) && kind >= 0 && kind < code.runStarted && !shapes.has(kind);
  return isLater && event.length > 3 && isCount(key) && isEnd(event.at(-1)) ? [at, code.changed, key, event.at(-1)] : event.slice();
};
const damaged = (what) => new RecordError(`The record is damaged: ${what}.`);
const table = (json, name) => {
  const rows = json[name] ?? [];
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) throw damaged(`its ${name} are not a list`);
  return rows;
};

/** Reads a file. Throws a `RecordError` that says what is wrong with it. */
export function parse(text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    throw new RecordError(text.trimStart().startsWith("{")
      ? "This file is cut off or damaged: its JSON has no end." : "This file is not a record of StreamQuery: it is not JSON.");
  }
  try {
    JSON.stringify(json);
  } catch {
    throw damaged("it nests too deeply");
  }
  return checked(json);
}

function checked(json) {
  if (json === null || typeof json !== "object" || json.streamquery !== "record") {
    throw new RecordError("This file is not a record of StreamQuery.");
  }
  if (json.version !== version) {
    throw new RecordError(`This record has version ${JSON.stringify(json.version)?.slice(0, 20)}. This page reads version ${version}.`);
  }
  if (!isNumber(json.date) || !isNumber(json.now) || !isCount(json.first) || !isCount(json.lost ?? 0)) {
    throw damaged("it does not say when it was taken");
  }
  return json;
}

/** The state of all keys and runs at one time. A copy shares rows, and changes only those with its own mark. */
class Moment {
  constructor(rows, runs, network, activity) {
    this.mark = {};
    this.rows = rows;
    this.runs = runs;
    this.network = network;
    this.activity = activity;
    this.lost = 0;
  }

  copy() {
    const copy = new Moment(this.rows.slice(), this.runs.slice(), this.network, this.activity);
    copy.lost = this.lost;
    this.mark = {};
    return copy;
  }
}

/** How many elements of an ascending list come first, as long as they are `early`. */
function countOf(list, early) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (early(list[middle])) low = middle + 1; else high = middle;
  }
  return low;
}

/** How many numbers of an ascending list are below `end`. */
export const below = (list, end) => countOf(list, (n) => n < end);

export const runPhases = new Map([
  [30, "started"], [31, "paused"], [32, "started"], [33, "performing"], [34, "retrying"], [35, "stopped"], [37, "succeeded"],
  [38, "failed"], [39, "cancelled"],
]);
export const isOver = (phase) => phase === "succeeded" || phase === "failed" || phase === "cancelled";

export class Recording {
  /** `json`: a whole record. `keep`: how many events stay; `bytes`: how much text of values. */
  constructor(json, { keep = Infinity, bytes = 64 << 20 } = {}) {
    checked(json);
    this.keep = keep;
    this.bytes = bytes;
    this.date = json.date;
    this.now = json.now;
    this.first = json.first;
    this.next = json.first;
    this.begins = json.first;
    this.gaps = [];
    this.lost = json.lost ?? 0;
    this.events = [];
    this.keys = new Map();
    this.runs = new Map();
    this.options = new Map();
    this.errors = new Map();
    this.values = new Map();
    this.valueBytes = 0;
    this.conditions = [];
    this.lanes = [];
    this.byText = new Map();
    this.freeKeys = [];
    this.freeRuns = [];
    const [network, activity] = Array.isArray(json.base) ? json.base : [1, 1];
    this.base = new Moment([], [], network ?? 1, activity ?? 1);
    this.base.lost = this.lost;
    this.start = 0;
    this.current = this.base.copy();
    this.checkpoints = [];
    this.spacing = 4096;
    this.cursor = null;
    this.revision = 0;
    this.read(json, true);
    this.start = this.lost > 0 ? this.events[0]?.[0] ?? this.now : 0;
    this.trim();
  }

  static open(text, limits) { return new Recording(parse(text), limits); }

  /** Whether events before the first one are missing: no state before it is known. */
  get isCut() { return this.lost > 0 || this.first > this.begins; }

  get end() { return this.first + this.events.length; }
  event(n) { return this.events[n - this.first]; }

  /**
   * The record with a part that follows. After lost events no state that was known is certain: such a part has all states,
   * and begins a record anew.
   */
  append(json) {
    checked(json);
    if ((json.lost ?? 0) > 0 || json.first > this.next) {
      return new Recording(json, { keep: this.keep, bytes: this.bytes });
    }
    this.read(json, false);
    this.trim();
    return this;
  }

  /** The record with what a whole record of the same client knows more: older events that only this one has stay. */
  renew(json) {
    checked(json);
    // An older base must not bring back what was forgotten here.
    const knows = this.number(this.first) <= json.first;
    const follows = knows && json.date === this.date && json.now >= this.now && json.first <= this.next;
    return follows ? this.append({ ...json, lost: 0 }) : new Recording(json, { keep: this.keep, bytes: this.bytes });
  }

  /** The record's number of event `n`: lost events have numbers too. */
  number(n) { return n + (this.gaps.findLast((gap) => gap.n <= n)?.shift ?? 0); }

  index(number) { return number - (this.gaps.findLast((gap) => gap.n + gap.shift <= number)?.shift ?? 0); }

  read(json, isWhole) {
    const offset = Math.round((json.date - this.date) * 1e6);
    for (const [number, options] of table(json, "options")) {
      if (isCount(number) && options && typeof options === "object") this.options.set(number, options);
    }
    for (const [number, text] of table(json, "errors")) {
      if (!isText(text)) throw damaged("an error is not text");
      if (isCount(number)) this.errors.set(number, text);
    }
    for (const row of table(json, "keys")) this.readKey(row, isWhole);
    for (const row of table(json, "runs")) this.readRun(row, isWhole);
    const values = new Map();
    for (const [number, text] of table(json, "values")) {
      if (!isCount(number) || !isText(text)) throw damaged("a value is not text");
      values.set(number, text);
    }
    for (const [number, text] of values) if (number < this.next) this.readLate(number, text);
    let at = offset;
    let number = json.first;
    for (const event of table(json, "events")) {
      const n = number;
      if (!isNumber(event[0]) || event[0] < 0 || at + event[0] > longest) throw damaged(`event ${n} has no time`);
      at += event[0];
      const copy = known(event);
      copy[0] = at;
      this.check(copy, n);
      number += event[1] === code.lost ? Math.max(1, event[2]) : 1;
      if (n < this.next) continue;
      const text = values.get(n);
      if (text !== undefined) {
        this.values.set(this.end, text);
        this.valueBytes += text.length;
      }
      this.push(copy);
      this.next = number;
      if (number > n + 1) this.gaps.push({ n: this.end, shift: number - this.end });
    }
    this.now = Math.max(this.now, json.now + offset, this.events.at(-1)?.[0] ?? 0);
    for (const [n, text] of this.values) {
      if (this.valueBytes <= this.bytes) break;
      this.values.delete(n);
      this.valueBytes -= text.length;
    }
    this.revision += 1;
  }

  // A value may come in a part after that of its event.
  readLate(number, text) {
    const n = this.index(number);
    const key = this.event(n) && shapes.has(this.event(n)[1]) ? this.keys.get(this.event(n)[2]) : null;
    if (!key || this.values.has(n)) return;
    this.values.set(n, text);
    this.valueBytes += text.length;
    const row = this.current.rows[key.slot];
    if (row && row.value < n && state.hasData(row.state)) row.value = n;
    this.checkpoints = this.checkpoints.filter((checkpoint) => checkpoint.n <= n);
    this.cursor = null;
  }

  readKey([number, text, type, parts, base], isWhole) {
    if (!isCount(number) || !isText(text)) throw damaged("a key has no text");
    if (base != null && !isState(base)) throw damaged(`the state of key ${number} cannot be read`);
    if (this.keys.has(number)) return;
    const key = {
      number, text, type: isText(type) ? type : "", parts: Array.isArray(parts) && parts.length ? parts : [text], lane: null,
      slot: this.freeKeys.pop() ?? this.current.rows.length,
    };
    this.keys.set(number, key);
    if (base != null) this.enter(key);
    this.set("rows", key.slot, base == null ? null : firstRow(key, base), isWhole);
  }

  // A later entry with the text and type of one that is gone has a new number, and takes over its lane.
  enter(key) {
    const { text, type, parts } = key;
    const lanes = this.byText.get(text) ?? [];
    let lane = lanes.slice(-64).find((one) => one.type === type && !this.current.rows[one.keys.at(-1).slot]);
    if (!lane) {
      lane = { text, type, parts, keys: [], events: [], group: null };
      lanes.push(lane);
      this.byText.set(text, lanes);
      this.lanes.push(lane);
    }
    lane.keys.push(key);
    lane.number = key.number;
    key.lane = lane;
  }

  laneOf(text, type = null) { return this.byText.get(text)?.find((lane) => type === null || lane.type === type) ?? null; }

  /** The lane that a lane of another record has here, or that it has now that its entry came again. */
  laneLike({ number, text, type }) {
    const lane = this.keys.get(number)?.lane;
    return lane?.text === text && lane.type === type ? lane : this.laneOf(text, type);
  }

  /** The name of a lane: its text, and its type if others have the same text. */
  name(lane) { return this.byText.get(lane.text)?.length > 1 ? `${lane.text} · ${lane.type}` : lane.text; }

  readRun([number, text, scope, before, started], isWhole) {
    if (!isCount(number) || !isText(text)) throw damaged("a run has no key");
    if (this.runs.has(number)) return;
    const run = {
      number, text, scope: isText(scope) ? scope : null, slot: this.freeRuns.pop() ?? this.current.runs.length,
      started: isNumber(started) ? started : 0, before: before ?? null, events: [], layers: [],
      keys: new Set(), // What it changed just before the first event.
    };
    this.runs.set(number, run);
    const phase = runPhases.get(before);
    const row = before == null || isOver(phase) ? null : runRow(run, phase ?? "started", run.started);
    this.set("runs", run.slot, row, isWhole);
  }

  set(name, slot, row, isWhole) {
    this.current[name][slot] = row;
    this.base[name][slot] = isWhole ? row : null;
  }

  check(event, n) {
    const kind = event[1];
    if (!Number.isInteger(kind)) throw damaged(`event ${n} has no code`);
    const hasState = !shapes.has(kind) || isEnd(event.at(-1));
    const shape = shapes.get(kind) ?? runShapes.get(kind) ?? otherShapes.get(kind) ?? [];
    if (!hasState || !isShaped(event, shape)) throw damaged(`event ${n} cannot be read`);
  }

  push(event) {
    const n = this.end;
    if (this.events.length && n % this.spacing === 0) this.addCheckpoint(n);
    event[0] = Math.max(event[0], this.events.at(-1)?.[0] ?? 0);
    this.events.push(event);
    const kind = event[1];
    if (shapes.has(kind)) {
      const key = this.keys.get(event[2]);
      if (key && !key.lane) this.enter(key);
      key?.lane.events.push(n);
      if (kind === code.layerAdded || kind === code.layerRemoved) this.runs.get(event[3])?.layers.push(n);
    } else if (runShapes.has(kind)) {
      this.runs.get(event[2])?.events.push(n);
    } else if (otherShapes.has(kind)) {
      this.conditions.push(n);
    }
    this.apply(this.current, event, n);
  }

  // Together, checkpoints have some million rows at most.
  addCheckpoint(n) {
    this.checkpoints.push({ n, moment: this.current.copy() });
    if (this.checkpoints.length * this.current.rows.length <= 4e6 || this.checkpoints.length < 4) return;
    this.spacing *= 2;
    this.checkpoints = this.checkpoints.filter((checkpoint) => checkpoint.n % this.spacing === 0);
  }

  apply(moment, event, n) {
    const kind = event[1];
    if (shapes.has(kind)) {
      const key = this.keys.get(event[2]);
      if (!key) return;
      moment.rows[key.slot] = nextRow(moment.rows[key.slot], key, event, n, this.values.has(n), moment.mark);
    } else if (runShapes.has(kind)) {
      const run = this.runs.get(event[2]);
      if (!run) return;
      moment.runs[run.slot] = nextRun(moment.runs[run.slot], run, event);
    } else if (kind === code.network) {
      moment.network = event[2];
    } else if (kind === code.activity) {
      moment.activity = event[2];
    } else if (kind === code.lost) {
      moment.lost += event[2];
    }
  }

  after(at) { return this.first + countOf(this.events, (event) => event[0] <= at); }

  /** The moment after all events until `at`, valid until the next call. O(log n), and the events after a checkpoint. */
  moment(at) { return this.momentBefore(this.after(at)); }

  momentBefore(end) {
    if (end >= this.end) return this.current;
    if (!this.cursor || this.cursor.n > end || this.cursor.n < end - this.spacing) {
      let from = { n: this.first, moment: this.base };
      for (const checkpoint of this.checkpoints) if (checkpoint.n <= end) from = checkpoint;
      this.cursor = { n: from.n, moment: from.moment.copy() };
    }
    while (this.cursor.n < end) {
      this.apply(this.cursor.moment, this.event(this.cursor.n), this.cursor.n);
      this.cursor.n += 1;
    }
    return this.cursor.moment;
  }

  /** A key's or a run's events with `from ≤ time ≤ to`, as a range in its list. */
  range(list, from, to) {
    return [countOf(list, (n) => this.event(n)[0] < from), countOf(list, (n) => this.event(n)[0] <= to)];
  }

  /** Folds the oldest events into the base when there are a quarter too many. */
  trim() {
    const extra = this.events.length - this.keep;
    if (extra <= (this.keep < 1000 ? 0 : this.keep / 4)) return;
    const keys = new Set();
    const runs = new Set();
    for (let i = 0; i < extra; i += 1) {
      const event = this.events[i];
      const n = this.first + i;
      const key = shapes.has(event[1]) ? this.keys.get(event[2]) : undefined;
      const before = this.base.rows[key?.slot]?.layers ?? none;
      this.apply(this.base, event, n);
      keys.add(key);
      if (runShapes.has(event[1])) runs.add(this.runs.get(event[2]));
      if (event[1] === code.layerAdded || event[1] === code.layerRemoved) runs.add(this.runs.get(event[3]));
      const after = this.base.rows[key?.slot]?.layers ?? none;
      if (after === before) continue;
      for (const run of [...before, ...after].map((number) => this.runs.get(number))) {
        if (after.includes(run?.number)) run.keys.add(key.number); else run?.keys.delete(key.number);
        runs.add(run);
      }
    }
    keys.delete(undefined);
    runs.delete(undefined);
    this.events.splice(0, extra);
    this.first += extra;
    this.start = this.events[0]?.[0] ?? this.now;
    const stays = (n) => n >= this.first;
    for (const lane of new Set([...keys].map((key) => key.lane))) lane.events = lane.events.filter(stays);
    for (const run of runs) {
      run.events = run.events.filter(stays);
      run.layers = run.layers.filter(stays);
      if (run.events.length || run.layers.length || run.keys.size) continue;
      if (isOver(this.base.runs[run.slot]?.phase)) this.forget(run, "runs", this.freeRuns);
    }
    this.forgetKeys(keys);
    this.conditions = this.conditions.filter(stays);
    this.gaps = this.gaps.filter((gap, i) => i === this.gaps.length - 1 || this.gaps[i + 1].n > this.first);
    this.forgetValues();
    if (this.errors.size + this.options.size > 20_000) this.forgetTexts();
    this.checkpoints = this.checkpoints.filter((checkpoint) => checkpoint.n > this.first);
    this.cursor = null;
  }

  // No event can name keys whose entry was gone before the first event: numbers are not used again.
  forgetKeys(keys) {
    for (const key of keys) {
      if (this.base.rows[key.slot] || key.lane.events.some((n) => this.event(n)[2] === key.number)) continue;
      this.forget(key, "rows", this.freeKeys);
      key.lane.keys = key.lane.keys.filter((other) => other !== key);
      if (key.lane.keys.length) continue;
      const others = this.byText.get(key.text).filter((lane) => lane !== key.lane);
      if (others.length) this.byText.set(key.text, others); else this.byText.delete(key.text);
    }
    this.lanes = this.lanes.filter((lane) => lane.keys.length > 0);
  }

  // Errors and options to which no event and no state before them refers.
  forgetTexts() {
    const [errors, options] = [new Set(), new Set()];
    for (const row of this.base.rows) if (row) [errors, options].forEach((used, i) => used.add(i ? state.options(row.state) : row.error));
    for (const row of this.base.runs) errors.add(row?.error);
    for (const event of this.events) {
      errors.add(event[errorPlaces[event[1]]]);
      if (shapes.has(event[1]) && event.at(-1)) options.add(state.options(event.at(-1)));
    }
    for (const number of this.errors.keys()) if (!errors.has(number)) this.errors.delete(number);
    for (const number of this.options.keys()) if (!options.has(number)) this.options.delete(number);
  }

  // The value of an event that goes stays while it is the newest of its key.
  forgetValues() {
    const used = new Set();
    for (const row of this.base.rows) if (row?.value) used.add(row.value);
    for (const [n, text] of this.values) {
      if (n >= this.first) break;
      if (used.has(n)) continue;
      this.values.delete(n);
      this.valueBytes -= text.length;
    }
  }

  forget(item, name, free) {
    this[name === "rows" ? "keys" : "runs"].delete(item.number);
    this.base[name][item.slot] = null;
    this.current[name][item.slot] = null;
    for (const checkpoint of this.checkpoints) checkpoint.moment[name][item.slot] = null;
    free.push(item.slot);
  }

  row(moment, lane) {
    for (let i = lane.keys.length - 1; i >= 0; i -= 1) {
      const row = moment.rows[lane.keys[i].slot];
      if (row) return row;
    }
    return null;
  }

  /** The state of an entry before event `n` of its key; null if it had none. */
  stateBefore(n) {
    const key = this.keys.get(this.event(n)[2]);
    if (!key) return null;
    const { events } = key.lane;
    let [i] = this.range(events, this.event(n)[0], Infinity);
    while (events[i] < n) i += 1;
    for (i -= 1; i >= 0; i -= 1) {
      const event = this.event(events[i]);
      if (event[2] === key.number) return event.at(-1);
    }
    return this.base.rows[key.slot]?.state ?? null;
  }

  /** The text of the value that an entry had after event `n`, if the record has it. */
  value(row) { return row?.value ? this.values.get(row.value) ?? null : null; }

  staleTime(s) { return this.options.get(state.options(s))?.staleTime; }

  /** How much is left of the stale time, from 1 to 0; null without data, or if it is unknown. */
  freshness(s, at) {
    if (!state.hasData(s) || state.updatedAt(s) === null) return null;
    const time = this.staleTime(s);
    if (time === "static") return 1;
    if (state.isInvalidated(s)) return 0;
    if (time === "never") return 1;
    if (!isNumber(time)) return null;
    if (time <= 0) return 0;
    return Math.min(1, Math.max(0, 1 - Math.max(0, at - state.updatedAt(s)) / time));
  }

  counts(moment) {
    const counts = { all: 0, pending: 0, success: 0, error: 0, fetching: 0, paused: 0, observed: 0 };
    for (const row of moment.rows) {
      if (!row) continue;
      counts.all += 1;
      counts[state.status(row.state)] += 1;
      const fetching = state.fetching(row.state);
      if (fetching !== "idle") counts[fetching] += 1;
      if (state.observers(row.state) > 0) counts.observed += 1;
    }
    return counts;
  }

  /** The record as it would be read again. Events that were left out here are lost there. */
  save() {
    let before = 0;
    const first = this.number(this.first);
    const codes = new Map([...runPhases].reverse().map(([kind, phase]) => [phase, kind]));
    return {
      streamquery: "record", version, date: this.date, now: this.now, first, lost: this.lost + first - this.begins,
      options: [...this.options], errors: [...this.errors], base: [this.base.network, this.base.activity],
      keys: [...this.keys.values()].map((key) => [key.number, key.text, key.type, key.parts, this.base.rows[key.slot]?.state ?? null]),
      runs: [...this.runs.values()].map((run) => {
        const row = this.base.runs[run.slot];
        return [run.number, run.text, run.scope, row ? codes.get(row.phase) : null, run.started];
      }),
      events: this.events.map((event) => {
        const copy = event.slice();
        copy[0] = event[0] - before;
        before = event[0];
        return copy;
      }),
      values: [...this.values].filter(([n]) => n >= this.first).map(([n, text]) => [this.number(n), text]),
    };
  }
}

// MARK: Rows

const none = Object.freeze([]);

/** The state of an entry, and what its events tell of its fetches, layers and value. */
class Row {
  constructor(key, s, old, mark) {
    this.key = key;
    this.state = s;
    this.mark = mark;
    this.n = old ? old.n : 0;
    this.fetch = old ? old.fetch : 0;
    this.retryAt = old ? old.retryAt : -1;
    this.error = old ? old.error : 0;
    this.value = old ? old.value : 0;
    this.layers = old ? old.layers : none;
  }
}

const firstRow = (key, base) => new Row(key, base, null, null);

function nextRow(old, key, event, n, hasValue, mark) {
  const s = event[event.length - 1];
  if (s === null) return null;
  const row = old && old.mark === mark ? old : new Row(key, s, old, mark);
  row.state = s;
  row.n = n;
  if (hasValue) row.value = n;
  const kind = event[1];
  if (kind >= code.fetchStarted && kind <= code.fetchCancelled) row.fetch = event[3];
  switch (kind) {
    case code.added: case code.removed:
      [row.error, row.retryAt, row.layers, row.value] = [0, -1, none, hasValue ? n : 0];
      break;
    case code.reset: case code.fetchSucceeded:
      [row.error, row.retryAt] = [0, -1];
      break;
    case code.fetchStarted: case code.fetchPaused: case code.fetchResumed: case code.fetchCancelled:
      row.retryAt = -1;
      break;
    case code.attemptFailed:
      [row.retryAt, row.error] = [event[0] + event[5], event[6]];
      break;
    case code.fetchFailed:
      [row.retryAt, row.error] = [-1, event[4]];
      break;
    case code.written:
      row.error = 0;
      break;
    case code.layerAdded:
      row.layers = [...row.layers.filter((run) => run !== event[3]), event[3]];
      break;
    case code.layerRemoved:
      row.layers = row.layers.filter((run) => run !== event[3]);
      break;
  }
  if (!state.hasData(s)) row.value = 0;
  if (!state.isLayered(s)) row.layers = none;
  return row;
}

function runRow(run, phase, at) {
  return { run, phase, at, started: run.started, ended: null, failures: 0, error: 0, retryAt: null, callback: null };
}

function nextRun(old, run, event) {
  const row = old ? { ...old } : runRow(run, "started", event[0]);
  const kind = event[1];
  row.at = event[0];
  if (kind === code.callbackFailed) {
    [row.callback, row.error] = [event[4], event[3]];
    return row;
  }
  row.phase = runPhases.get(kind) ?? row.phase;
  row.retryAt = null;
  switch (kind) {
    case code.runStarted: row.started = event[0]; break;
    case code.attemptStarted: row.failures = event[3]; break;
    case code.runRetries: [row.failures, row.retryAt, row.error] = [event[3], event[0] + event[4], event[5]]; break;
    case code.runStopped: row.error = event[3]; break;
    case code.runSucceeded: row.ended = event[0]; break;
    case code.runFailed: [row.ended, row.error] = [event[0], event[3]]; break;
    case code.runCancelled: row.ended = event[0]; break;
  }
  return row;
}

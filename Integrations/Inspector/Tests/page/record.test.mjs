// The page's model: what it reads and refuses, moments at any time, bounded memory, lists and texts.
import assert from "node:assert/strict";
import test from "node:test";
import { groupOf, look, ordered } from "../../Sources/StreamQueryInspector/Page/list.js";
import { Recording, RecordError, state } from "../../Sources/StreamQueryInspector/Page/record.js";
import { bytes, clock, differences, duration, indented, line, readJSON, why } from "../../Sources/StreamQueryInspector/Page/words.js";
import { Pretend } from "./pretend.mjs";

const S = (bits, observers = 0, updatedAt = null, options = 1) => [bits, observers, 0, updatedAt, updatedAt === null ? 0 : 1, 0, options];
const plain = (changes = {}) => ({
  streamquery: "record", version: 1, date: 1764430000, now: 10e6, first: 1, lost: 0, options: [[1, { staleTime: 4e6 }]],
  keys: [[1, '["user", 1]', "User", ["user", 1], null]], runs: [], errors: [[1, "bad"]], base: [1, 1],
  events: [[1e6, 1, 1, S(0)], [0, 5, 1, 1, S(4100, 1)], [5e5, 9, 1, 1, 0, S(4369, 1, 15e5)]], values: [], ...changes,
});
const refused = (text, pattern) => assert.throws(() => Recording.open(typeof text === "string" ? text : JSON.stringify(text)), (error) => {
  assert.ok(error instanceof RecordError, String(error));
  assert.match(error.message, pattern);
  return true;
});

test("files that are no record, of another version, cut off or damaged are refused with a sentence", () => {
  const text = JSON.stringify(plain());
  for (let end = 1; end < text.length; end += 7) refused(text.slice(0, end), /cut off/);
  refused("", /not JSON/);
  refused("hello", /not JSON/);
  for (const other of ["null", "1", "[]", "{}", '"record"']) refused(other, /not a record/);
  refused(plain({ version: 2 }), /version 2/);
  refused(plain({ version: undefined }), /version/);
  refused(plain({ version: { a: "x".repeat(1000) } }), /version/);
  for (const name of ["date", "now", "first"]) for (const bad of [null, "1", [], {}, undefined]) refused(plain({ [name]: bad }), /when it was taken/);
  for (const name of ["keys", "runs", "events", "values", "options", "errors"]) refused(plain({ [name]: { a: 1 } }), /damaged/);
  refused(plain({ keys: [[1, 2]] }), /no text/);
  refused(plain({ keys: [[1, "a", "", [], [1, 2]]] }), /state of key 1/);
  refused(plain({ events: [[1, 1, 1]] }), /event 1/);
  // Neither has a form as text.
  refused(plain({ errors: [[1, { toString: 1, valueOf: 1 }]] }), /an error is not text/);
  refused(plain({ events: [[1, 30, { toString: 1, valueOf: 1 }]] }), /event 1 cannot be read/);
  refused(JSON.stringify(plain()).replace('["user",1]', "[".repeat(20_000) + "]".repeat(20_000)), /nests too deeply/);
  refused(JSON.stringify(plain()).replace('"version":1', `"version":${"[".repeat(20_000)}${"]".repeat(20_000)}`), /nests too deeply/);
  refused(plain({ events: [[-1, 1, 1, S(0)]] }), /no time/);
  refused(plain({ events: [[8e15, 50, 1], [8e15, 50, 1]] }), /event 2 has no time/);
  refused(plain({ events: [[0, "x", 1]] }), /no code/);
  refused(plain({ events: [[0, 5, 1, "one", S(0)]] }), /event 1/);
  refused(plain({ events: [[0, 52, { toString: 1 }]] }), /event 1/);
  refused(plain({ values: [[1, { a: 1 }]] }), /not text/);
});

test("random damage never throws anything but a sentence", () => {
  const text = JSON.stringify(plain({ runs: [[1, '["a"]', null, null, 0]], events: [...plain().events, [0, 30, 1], [0, 16, 1, 1, S(4497, 1, 15e5)], [1, 34, 1, 1, 5, 1], [1, 54, 0, "x", 2]] }));
  let seed = 5;
  const random = (below) => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed % below;
  };
  const odd = ["null", "-1", "1e308", "[]", "{}", '"x"', "9", "true", ""];
  let read = 0;
  for (let i = 0; i < 4000; i += 1) {
    const place = random(text.length);
    const damaged = text.slice(0, place) + odd[random(odd.length)] + text.slice(place + random(6));
    try {
      const record = Recording.open(damaged);
      for (let n = record.first; n < record.end; n += 1) {
        line(record, record.event(n));
        why(record, n);
      }
      record.moment(2e6);
      record.save();
      read += 1;
    } catch (error) {
      assert.ok(error instanceof RecordError, `${error.stack}\n${damaged}`);
    }
  }
  assert.ok(read > 50);
});

test("a moment does not depend on the moments that were shown before", () => {
  const client = new Pretend({ date: 1764430000 });
  client.advance(50e6);
  const record = new Recording(client.whole());
  const seen = (at) => JSON.stringify(record.moment(at).rows.map((row) => row && [row.key.number, row.state, row.n, row.fetch, row.layers]));
  const times = [0, 50e6, 12.5e6, 12.4e6, 30e6, 2e6, 49e6, 22e6];
  const first = times.map(seen);
  assert.deepEqual([...times].reverse().map(seen).reverse(), first);
  const again = Recording.open(JSON.stringify(record.save()));
  assert.deepEqual(times.map((at) => JSON.stringify(again.moment(at).rows.map((row) => row && [row.key.number, row.state, row.n, row.fetch, row.layers]))), first);
});

test("parts make the same record as the whole", () => {
  const client = new Pretend({ date: 1764430000, ring: 100_000 });
  let live = new Recording(client.whole());
  let mark = client.mark();
  for (let at = 0; at < 50e6; at += 333_333) {
    client.advance(at);
    live = live.append(client.since(mark));
    mark = client.mark();
  }
  const whole = new Recording(client.whole());
  assert.deepEqual(live.events, whole.events);
  assert.deepEqual(live.current.rows.map((row) => row?.state), whole.current.rows.map((row) => row?.state));
  assert.equal(live.now, whole.now);
});

test("a live record keeps the newest events, and its memory does not grow", () => {
  const keep = 2000;
  let record = new Recording(plain(), { keep, bytes: 100_000 });
  let number = 1;
  let at = 15e5;
  for (let round = 0; round < 200; round += 1) {
    const first = record.end;
    const [keys, runs, events, values] = [[], [], [], []];
    for (let i = 0; i < 50; i += 1) {
      number += 1;
      keys.push([number, `["item", ${number}]`, "Item", ["item", number], null]);
      runs.push([number, '["save"]', null, null, at]);
      const n = first + events.length;
      events.push([10, 1, number, S(17, 0, at)], [10, 12, number, S(17, 0, at)], [0, 30, number], [0, 16, number, number, S(145, 0, at)], [0, 37, number],
        [0, 17, number, number, S(17, 0, at)], [10, 2, number, 0, 0, null], [5, 50, i % 2]);
      values.push([n + 1, JSON.stringify("x".repeat(100))]);
      at += 35;
    }
    record = record.append(plain({ now: at, first, keys, runs, events, values, errors: [], options: [], date: 1764430000 }));
  }
  assert.ok(record.events.length <= keep * 1.25 + 400, `${record.events.length} events`);
  assert.ok(record.keys.size < 1000, `${record.keys.size} keys`);
  assert.ok(record.lanes.length < 1000 && record.byText.size < 1000 && record.current.rows.length < 1000);
  assert.ok(record.runs.size < 1000, `${record.runs.size} runs`);
  assert.ok(record.values.size < 1000 && record.valueBytes <= 200_000, `${record.valueBytes} bytes`);
  assert.ok(record.conditions.length <= keep * 1.25 + 400);
  assert.equal(record.row(record.current, record.laneOf('["user", 1]')).state[1], 1);
  assert.equal(record.counts(record.moment(record.events[0][0])).all >= 1, true);
});

test("a run and the keys that it changes are known until its last layer is gone, even if that goes with its key", () => {
  const keys = [1, 2, 3].map((number) => [number, `["${number}"]`, "Int", [number], S(17, 0, 0)]);
  const runs = [1, 2].map((number) => [number, `["save", ${number}]`, null, null, 0]);
  const begin = runs.flatMap(([number]) => [[0, 30, number], [0, 16, number, number, S(145, 0, 0)], [0, 37, number]]);
  const others = Array.from({ length: 3 }, () => [1e6, 12, 3, S(17, 0, 1e6)]);
  let record = new Recording(plain({ keys, runs, events: [...begin, ...others] }), { keep: 2 });
  assert.deepEqual([...record.runs.values()].map((run) => [run.number, ...run.keys]), [[1, 1], [2, 2]]);
  const end = [[1e6, 17, 1, 1, S(17, 0, 0)], [0, 2, 2, 0, 0, null], ...others];
  record = record.append(plain({ first: record.next, now: 20e6, keys: [], runs: [], options: [], errors: [], events: end }));
  assert.deepEqual([...record.runs.keys()], []);
});

test("a record whose oldest events were left out is saved as one that lost them, and opens with the same states", () => {
  const client = new Pretend({ date: 1764430000, ring: 100_000 });
  let live = new Recording(client.whole(), { keep: 60 });
  let mark = client.mark();
  for (let at = 0; at < 48e6; at += 250_000) {
    client.advance(at);
    live = live.append({ ...client.since(mark), first: live.next });
    if (at % 7e6 === 0) live = live.append({ ...plain(), first: live.next, now: client.now, keys: [], options: [], errors: [], events: [[Math.max(0, client.now - 5), 60, 5]] });
    mark = client.mark();
  }
  assert.ok(live.first > 100 && live.events.length === 60, `${live.events.length} events from ${live.first} on`);
  const saved = JSON.parse(JSON.stringify(live.save()));
  const opened = new Recording(saved);
  assert.equal(saved.first, live.number(live.first));
  assert.equal(saved.lost, saved.first - 1);
  assert.equal(opened.start, live.start);
  const seen = (record, at) => {
    const moment = record.moment(at);
    const keys = moment.rows.filter(Boolean).map((row) => [row.key.number, row.key.text, row.state, record.freshness(row.state, at)]);
    const runs = moment.runs.filter((row) => row && row.ended === null).map((row) => [row.run.number, row.run.text, row.phase]);
    return [moment.network, moment.activity, keys.sort((a, b) => a[0] - b[0]), runs.sort((a, b) => a[0] - b[0])];
  };
  for (let share = 0; share <= 1; share += 0.05) {
    const at = live.start + (live.now - live.start) * share;
    assert.deepEqual(seen(opened, at), seen(live, at), `at ${at}`);
  }
  // Whoever reads it finds all to which events refer.
  for (const event of saved.events) if (event[1] < 30) assert.ok(saved.keys.some(([number]) => number === event[2]));
  const again = opened.append({ ...plain(), first: live.next, keys: [], options: [], errors: [], events: [[live.now + 5, 50, 0]], now: live.now + 5 });
  assert.equal(again, opened);
  assert.equal(opened.current.network, 0);
});

test("options and errors that are in use stay, however many came after them", () => {
  let record = new Recording(plain({ events: [...plain().events, [1, 38, 1, 1]], runs: [[1, '["save"]', null, null, 0]] }), { keep: 10 });
  for (let round = 0; round < 10; round += 1) {
    const rows = Array.from({ length: 5000 }, (_, i) => round * 5000 + i + 10);
    record = record.append(plain({
      now: 20e6 + round, first: record.next, keys: [], options: rows.map((n) => [n, { staleTime: n }]), errors: rows.map((n) => [n, `error ${n}`]),
      events: rows.slice(-30).map((n) => [1, 53, 0, "FileStore", n]),
    }));
  }
  assert.ok(record.errors.size <= 20_000 && record.options.size <= 20_000, `${record.errors.size} errors, ${record.options.size} options`);
  assert.equal(record.staleTime(record.row(record.current, record.laneOf('["user", 1]')).state), 4e6);
  for (const event of record.events) assert.ok(record.errors.has(event[4]));
});

test("a whole record of the same client adds to what is known; one of another client, or after a gap, begins anew", () => {
  const client = new Pretend({ date: 1764430000, ring: 40 });
  client.advance(10e6);
  const record = new Recording(client.whole());
  const [first, known] = [record.first, record.events.length];
  client.advance(12e6);
  assert.equal(record.renew(client.whole()), record);
  assert.equal(record.first, first);
  assert.ok(record.events.length > known);
  const fresh = new Recording(client.whole());
  assert.deepEqual(record.current.rows.map((row) => row?.state), fresh.current.rows.map((row) => row?.state));
  assert.notEqual(record.renew({ ...client.whole(), date: 1764430001 }), record);
  client.advance(40e6);
  const anew = record.renew(client.whole());
  assert.notEqual(anew, record);
  assert.equal(anew.lost, client.lost);
});

test("after a new connection, an entry and a run that ended before the first event that the page keeps are not back", () => {
  const keys = [1, 2].map((number) => [number, `["${number}"]`, "Int", [number], S(17, 0, 0)]);
  const events = [[1e6, 2, 1, 0, 0, null], [0, 37, 1], ...Array.from({ length: 4 }, () => [1e6, 12, 2, S(17, 0, 1e6)])];
  const whole = (more) => plain({ keys, runs: [[1, '["save"]', null, 33, 0]], events: [...events, ...more] });
  const record = new Recording(whole([]), { keep: 2 });
  assert.deepEqual([record.first, record.keys.size, record.runs.size], [5, 1, 0]);
  const again = record.renew(whole([[1e6, 13, 2, S(49, 0, 1e6)]]));
  assert.equal(again.counts(again.current).all, 1);
  assert.deepEqual(again.current.runs.filter((row) => row && row.ended === null), []);
  assert.equal(again.row(again.current, again.laneOf('["2"]')).state[0], 49);
});

test("a part after lost events begins anew, and one that is known is skipped", () => {
  const record = new Recording(plain());
  assert.equal(record.append(plain()), record);
  assert.equal(record.events.length, 3);
  const anew = record.append(plain({ first: 90, lost: 86 }));
  assert.notEqual(anew, record);
  assert.equal(anew.lost, 86);
});

test("events, members and keys that are not known are skipped", () => {
  const record = new Recording(plain({ more: { a: 1 }, events: [[0, 99, "x", {}], [1, 1, 77, S(0)], [1, 38, 5, 1], ...plain().events] }));
  assert.equal(record.counts(record.current).all, 1);
  assert.equal(record.events.length, 6);
});

test("two entries with one text have two lanes, and an entry that comes again has that of the one before it", () => {
  const key = (number, type, base = null) => [number, '["a"]', type, ["a"], base];
  const record = new Recording(plain({
    keys: [key(1, "Int", S(17, 1, 0)), key(2, "String"), key(3, "Int"), key(4, "Int"), key(5, "Int")],
    events: [[1e6, 1, 2, S(17, 2, 0)], [1, 2, 1, 2, 0, null], [1, 1, 3, S(17, 3, 0)], [1, 1, 4, S(17, 4, 0)], [1, 2, 3, 2, 0, null], [1, 1, 5, S(17, 5, 0)]],
  }));
  const numbers = () => record.lanes.map((lane) => lane.keys.map((one) => one.number));
  assert.deepEqual(numbers(), [[1, 3, 5], [2], [4]]);
  assert.deepEqual(record.lanes.map((lane) => lane.events.length), [4, 1, 1]);
  assert.deepEqual(record.lanes.map((lane) => state.observers(record.row(record.current, lane).state)), [5, 2, 4]);
  assert.deepEqual(record.lanes.map((lane) => record.name(lane)), ['["a"] · Int', '["a"] · String', '["a"] · Int']);
  // In another record of the client, the lane is found by number; in one that does not know the number, by text and type.
  const anew = record.append(plain({ first: 90, lost: 80, keys: [key(2, "String", S(17, 1, 0)), key(4, "Int", S(17, 4, 0)), key(6, "Int", S(17, 6, 0))], events: [] }));
  assert.deepEqual(record.lanes.map((lane) => anew.laneLike(lane).number), [4, 2, 4]);
  assert.equal(new Recording(plain()).laneLike(record.lanes[0]), null);
  // Forgotten with their events, one after the other.
  const few = new Recording(plain({ keys: [key(1, "Int"), key(2, "String")], events: [[0, 1, 1, S(0)], [0, 1, 2, S(0)], [1, 2, 1, 0, 0, null]] }), { keep: 0 });
  assert.deepEqual([few.laneOf('["a"]', "Int"), few.laneOf('["a"]').number], [null, 2]);
});

test("codes and members that come later do not take the states of the events after them", () => {
  const events = [[0, 19, 1, 7, S(4113, 4)], ...plain().events, [1, 29, 1, "why", S(1)], [1, 40, 1, {}], [1, 61, null], [1, 2000], [1, 12, 1, [...S(17, 3, 2e6), "more", {}]], [1, 3, 1, S(17, 4, 2e6)]];
  const later = {
    events, more: [1], base: [1, 1, "sleeping"], keys: [[1, '["user", 1]', "User", ["user", 1], null, { more: 1 }]],
    options: [[1, { staleTime: 4e6, later: { a: 1 } }, 1], [2, { staleTime: { from: 1 } }], [3, null]], runs: [[1, '["save"]', null, 40, 0, "more"]], errors: [[1, "bad", 2]],
  };
  const record = new Recording(plain(later));
  const row = (moment) => record.row(moment, record.laneOf('["user", 1]'));
  assert.deepEqual(row(record.momentBefore(5)).state, S(4369, 1, 15e5));
  assert.deepEqual(row(record.momentBefore(7)).state, S(1));
  assert.deepEqual(row(record.momentBefore(10)).state.slice(0, 7), S(17, 3, 2e6));
  assert.deepEqual(row(record.current).state, S(17, 4, 2e6));
  assert.equal(record.freshness(S(17, 1, 0, 2), 5), null);
  for (let n = record.first; n < record.end; n += 1) line(record, record.event(n));
  assert.deepEqual(Recording.open(JSON.stringify(record.save())).current.rows.map((one) => one.state), [S(17, 4, 2e6)]);
});

test("rows have a look, and a list is filtered, sorted and grouped", () => {
  const client = new Pretend({ date: 1764430000 });
  client.advance(48e6);
  const record = new Recording(client.whole());
  const list = (by) => {
    const work = ordered(record, record.current, record.now, { text: "", looks: new Set(), sort: "key", isReversed: false, depth: 0, closed: new Set(), ...by });
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
    }
  };
  const all = list({});
  assert.equal(all.shown, all.all);
  assert.equal(Object.values(all.counts).reduce((a, b) => a + b), all.all);
  const texts = all.items.map((lane) => lane.text);
  assert.ok(texts.indexOf('["product", 102]') < texts.indexOf('["product", 109]'));
  assert.deepEqual(list({ isReversed: true }).items.map((lane) => lane.text), [...texts].reverse());
  assert.ok(list({ text: "PRODUCT rev" }).items.every((lane) => lane.text.includes("reviews")));
  const errors = list({ looks: new Set(["error"]) });
  for (const lane of errors.items) assert.equal(look(record, record.row(record.current, lane).state, record.now), "error");
  const groups = list({ depth: 1 });
  const heads = groups.items.filter((item) => item.isGroup);
  assert.equal(heads.reduce((sum, group) => sum + group.lanes.length, 0), all.all);
  const closed = list({ depth: 1, closed: new Set(heads.map((group) => group.name)) });
  assert.equal(closed.items.length, heads.length);
  assert.equal(groupOf({ parts: ["a", { b: 1 }, 2] }, 2), '["a", {"b":1}, …]');
  assert.equal(groupOf({ parts: ["a"] }, 1), '["a"]');
  const observers = list({ sort: "observers" }).items.map((lane) => state.observers(record.row(record.current, lane).state));
  assert.deepEqual(observers, [...observers].sort((a, b) => b - a));
});

test("100,000 keys are ordered in slices, none of which takes a frame", () => {
  const client = new Pretend({ keys: 100_000, values: false, story: false });
  const record = new Recording(client.whole());
  const work = ordered(record, record.current, 0, { text: "", looks: new Set(), sort: "key", isReversed: false, depth: 1, closed: new Set() });
  let longest = 0;
  let steps = 0;
  let result;
  for (;;) {
    const begin = performance.now();
    const { done, value } = work.next();
    longest = Math.max(longest, performance.now() - begin);
    steps += 1;
    if (done) {
      result = value;
      break;
    }
  }
  assert.equal(result.shown, 100_000);
  assert.ok(steps > 200, `${steps} slices`);
  console.log(`${steps} slices, the longest ${longest.toFixed(1)} ms`);
});

test("times and sizes have short texts", () => {
  assert.deepEqual([0, 999, 1000, 999_999, 1e6, 1.29e6, 9.99e6, 10e6, 59e6, 60e6, 125e6, 3600e6, 11_100e6, 86_400e6, 183_600e6, -5].map(duration), [
    "less than 1 ms", "less than 1 ms", "1 ms", "999 ms", "1 s", "1.2 s", "9.9 s", "10 s", "59 s", "1 min", "2 min 5 s", "1 h", "3 h 5 min", "1 d", "2 d 3 h", "less than 1 ms"]);
  assert.deepEqual([clock(0), clock(1_234_567), clock(125_120_000), clock(3_725_000_000, 0), clock(-1_500_000, 1), clock(60_000_000, 0)], ["0.000 s", "1.234 s", "2:05.120", "1:02:05", "−1.5 s", "1:00"]);
  assert.deepEqual([12, 1234, 56_789, 1_234_567].map(bytes), ["12 B", "1.2 kB", "57 kB", "1.2 MB"]);
});

test("values differ at places", () => {
  assert.deepEqual(differences({ a: 1, b: [1, 2], c: { d: "x" } }, { a: 1, b: [1, 3, 4], c: { e: "x" } }), [
    { path: "b[1]", from: "2", to: "3" }, { path: "b[2]", from: null, to: "4" }, { path: "c.d", from: '"x"', to: null }, { path: "c.e", from: null, to: '"x"' }]);
  assert.deepEqual(differences([], []), []);
  assert.deepEqual(differences({ a: {} }, { a: [] }), [{ path: "a", from: "{}", to: "[]" }]);
  const deep = (depth) => JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`);
  assert.equal(differences(deep(2000), deep(2001)).length, 1);
  assert.equal(differences(JSON.parse('{"__proto__": 1}'), {}).length, 1);
});

test("JSON is indented without a change of its numbers and strings", () => {
  const values = [{}, [], 1, "a", null, { a: [1, { b: "x, {y}: [z] \\" }, []], "k\"": {}, c: [[[]]] }, [1.5e-7, true, "\u2028"]];
  for (const value of values) assert.equal(indented(JSON.stringify(value)), JSON.stringify(value, null, 2));
  assert.equal(indented('{ "id":9007199254740993,"x":1.10 , "y":-0e0}'), '{\n  "id": 9007199254740993,\n  "x": 1.10,\n  "y": -0e0\n}');
  assert.equal(indented(""), "");
  assert.deepEqual(readJSON('{"a":[1,2.5,"9007199254740993"]}'), { a: [1, 2.5, "9007199254740993"] });
  assert.deepEqual(differences({ a: 9007199254740992n }, { a: 9007199254740993n, b: { c: 9007199254740993n } }), [
    { path: "a", from: "9007199254740992", to: "9007199254740993" }, { path: "b", from: null, to: '{"c":"9007199254740993"}' }]);
});

test("events that were lost have numbers, and values belong to the numbers after them", () => {
  const record = new Recording(plain({ events: [[0, 1, 1, S(0)], [0, 60, 7], [0, 12, 1, S(17, 0, 0)]], values: [[9, '"nine"']] }));
  assert.deepEqual([1, 2, 3].map((n) => record.number(n)), [1, 2, 9]);
  assert.equal(record.value(record.current.rows[0]), '"nine"');
  const again = new Recording(record.save());
  assert.equal(again.value(again.current.rows[0]), '"nine"');
  assert.equal(again.append(plain({ first: 10, events: [[1, 12, 1, S(17, 0, 1)]], values: [[10, '"ten"']] })).value(again.current.rows[0]), '"ten"');
});

test("a value that comes in a part after its event is that of the event, now and back in time", () => {
  const record = Recording.open(JSON.stringify(plain()));
  const row = (moment) => moment.rows[record.keys.get(1).slot];
  assert.equal(record.value(row(record.momentBefore(record.end))), null);
  const same = record.append({ ...plain(), first: 4, keys: [], options: [], errors: [], events: [], values: [[3, '"Ada"']] });
  assert.equal(same, record);
  assert.equal(record.value(row(record.current)), '"Ada"');
  assert.equal(record.value(row(record.momentBefore(record.end))), '"Ada"');
  assert.equal(record.value(row(record.momentBefore(3))), null);
  record.append({ ...plain(), first: 4, keys: [], errors: [], events: [[1e6, 12, 1, S(4369, 1, 115e5)]], values: [[4, '"Grace"'], [3, '"old"']] });
  assert.equal(record.value(row(record.current)), '"Grace"');
});

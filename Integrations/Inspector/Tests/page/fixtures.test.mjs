// The page's model agrees with the answers in the fixtures, which the Swift model is tested with too.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { Recording, state } from "../../Sources/StreamQueryInspector/Page/record.js";
import { who, why } from "../../Sources/StreamQueryInspector/Page/words.js";

const folder = new URL("../Fixtures/", import.meta.url);
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];

function read(fixture) {
  let record = new Recording(fixture.record, { keep: fixture.keeps ?? Infinity });
  for (const part of fixture.parts ?? []) record = record.append(part);
  return record;
}

function seen(record, at) {
  const moment = record.moment(at);
  const counts = record.counts(moment);
  const rows = moment.rows.filter(Boolean).sort((a, b) => a.key.number - b.key.number);
  return {
    at,
    online: moment.network === 1,
    active: moment.activity === 1,
    lost: moment.lost,
    counts: {
      keys: counts.all, pending: counts.pending, success: counts.success, error: counts.error, fetching: counts.fetching,
      paused: counts.paused, observed: counts.observed,
    },
    keys: rows.map((row) => {
      const s = row.state;
      const flags = { active: state.isEnabled, endless: state.isEndless, invalidated: state.isInvalidated, layered: state.isLayered, placeholder: state.isPlaceholder };
      return {
        key: row.key.number, text: row.key.text, type: row.key.type, status: state.status(s), fetchStatus: state.fetching(s),
        flags: Object.keys(flags).filter((name) => flags[name](s)), observers: state.observers(s), waiters: state.waiters(s),
        updates: state.updates(s), failures: state.failures(s), cause: state.cause(s) === "none" ? null : state.cause(s),
        age: state.updatedAt(s) === null || !state.hasData(s) ? null : Math.max(0, at - state.updatedAt(s)),
        freshness: record.freshness(s, at), layers: [...row.layers], last: row.n ? record.number(row.n) : 0,
      };
    }),
    runs: moment.runs.filter(Boolean).sort((a, b) => a.run.number - b.run.number).map((row) => ({
      run: row.run.number, mutation: row.run.text, scope: row.run.scope, status: row.phase, failures: row.failures,
      error: row.error ? record.errors.get(row.error) ?? null : null,
      layers: rows.filter((one) => one.layers.includes(row.run.number)).map((one) => one.key.number),
    })),
  };
}

// Divisions may differ in the last bit.
function rounded(value) {
  return JSON.parse(JSON.stringify(value, (name, one) => (name === "freshness" && one !== null ? Math.round(one * 1e9) / 1e9 : one)));
}

const event = (record, number) => {
  for (let n = record.first; n < record.end; n += 1) if (record.number(n) === number) return n;
  return 0;
};

test("the fixtures are there", { skip: files.length === 0 && "the fixtures are not in this checkout" }, () => {
  assert.ok(files.length > 0);
});

for (const file of files) {
  const fixture = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  test(`${file}: ${fixture.name}`, () => {
    const record = read(fixture);
    for (const moment of fixture.moments ?? []) assert.deepEqual(rounded(seen(record, moment.at)), rounded(moment));
    // Backwards too: a moment does not depend on the one that was shown before.
    for (const moment of [...(fixture.moments ?? [])].reverse()) assert.deepEqual(rounded(seen(record, moment.at)), rounded(moment));
    for (const one of fixture.why ?? []) assert.equal(why(record, event(record, one.event)), one.text, `event ${one.event}`);
    for (const one of fixture.who ?? []) {
      const key = record.keys.get(one.key);
      const row = key ? record.moment(one.at).rows[key.slot] : null;
      assert.equal(key ? who(record, key.lane, row, one.at, record.after(one.at)) : "It is not in the cache.", one.text, `key ${one.key} at ${one.at}`);
    }
  });
}

// What the files of the page say about each other: ids, icons, and the connection with an app that stops and begins.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { Live } from "../../Sources/StreamQueryInspector/Page/live.js";

const folder = new URL("../../Sources/StreamQueryInspector/Page/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const html = read("index.html");
const scripts = readdirSync(folder).filter((name) => name.endsWith(".js")).map(read).join("\n");
const ids = [...html.matchAll(/ id="([\w-]+)"/g)].map((match) => match[1]);

test("each id is there once, and each id and icon that a script names is there", () => {
  assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), []);
  const named = [...scripts.matchAll(/(?<![.\w])(?:find|on|setText|setAttribute)\("([\w-]+)"/g)].map((match) => match[1]);
  assert.ok(named.length > 40, `${named.length} ids`);
  assert.deepEqual(named.filter((id) => !ids.includes(id)), []);
  const icons = [...html.matchAll(/data-icon="([\w-]+)"/g), ...scripts.matchAll(/\bicon\("([\w-]+)"/g)].map((match) => match[1]);
  assert.ok(icons.length > 15, `${icons.length} icons`);
  assert.deepEqual(icons.filter((id) => !ids.includes(id)), []);
});

// MARK: The connection

class Source {
  static all = [];
  constructor(address) {
    Object.assign(this, { address, isClosed: false, listeners: {} });
    Source.all.push(this);
  }
  addEventListener(name, then) { this.listeners[name] = then; }
  close() { this.isClosed = true; }
  tell(name, data) { this.listeners[name]({ data }); }
}

function connected(answer) {
  Source.all = [];
  globalThis.EventSource = Source;
  globalThis.fetch = answer;
  const heard = [];
  const live = new Live("a b", (kind, value) => heard.push(kind === "link" ? value.state : kind));
  return { live, heard };
}

test("a page that gave its stream back asks for another when it is looked at, and hears nothing of the old one", () => {
  const { live, heard } = connected(() => Promise.reject(new Error("nobody listens")));
  const [first] = Source.all;
  assert.equal(first.address, "events?token=a%20b");
  first.tell("record", "{}");
  live.close();
  assert.equal(first.isClosed, true);
  first.tell("part", "{}");
  live.connect("connecting");
  Source.all[1].tell("record", "{}");
  assert.deepEqual(heard, ["connecting", "record", "connecting", "record"]);
});

test("a stream that was closed while the page asked why it broke stays closed", async () => {
  let answer;
  const { live, heard } = connected(() => new Promise((resolve) => { answer = resolve; }));
  Source.all[0].onerror();
  live.close();
  answer({ status: 401 });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([heard, Source.all.length, live.timer], [["connecting", "lost"], 1, undefined]);
});

test("a page hears that the client ended, or that newer pages took its place, and its stream is closed", () => {
  for (const [name, state] of [["end", "ended"], ["replaced", "replaced"]]) {
    const { heard } = connected();
    Source.all[0].tell(name, '{"error":"Five newer pages show this client."}');
    assert.deepEqual([heard.at(-1), Source.all[0].isClosed], [state, true]);
  }
});

// The page without a browser: what it shows of an app that comes, goes and says things, with elements that only keep what they are told.
import assert from "node:assert/strict";
import test from "node:test";
import { short } from "../../Sources/StreamQueryInspector/Page/words.js";
import { Pretend } from "./pretend.mjs";

class Element {
  dataset = {};
  style = { setProperty() {} };
  classList = { toggle() {}, add() {}, remove() {} };
  attributes = new Map();
  listeners = {};
  children = [];
  options = [];
  textContent = "";
  get firstChild() { return this.children[0] ?? (this.children[0] = new Element()); }
  get lastChild() { return this.children.at(-1) ?? this.firstChild; }
  setAttribute(name, value) {
    this.attributes.set(name, String(value));
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  hasAttribute(name) { return this.attributes.has(name); }
  removeAttribute(name) { this.attributes.delete(name); }
  addEventListener(name, then) { this.listeners[name] = then; }
  append(...children) { this.children.push(...children); }
  prepend(...children) { this.children.unshift(...children); }
  replaceChildren(...children) { this.children = children; }
  querySelectorAll() { return []; }
  contains() { return false; }
  showModal() {}
}

class Source {
  static newest = null;
  listeners = {};
  constructor() { Source.newest = this; }
  addEventListener(name, then) { this.listeners[name] = then; }
  close() {}
  tell(name, value) { this.listeners[name]({ data: JSON.stringify(value) }); }
}

const elements = new Map();
const element = (id) => elements.get(id) ?? elements.set(id, new Element()).get(id);
const body = Object.assign(new Element(), { dataset: { pane: "keys", left: "keys" } });
const frames = [];
const address = "http://127.0.0.1:8080/?token=secret";
Object.assign(globalThis, {
  window: globalThis,
  document: Object.assign(new Element(), {
    body, documentElement: new Element(), hidden: false, activeElement: null,
    getElementById: element, createElement: () => new Element(), createElementNS: () => new Element(), querySelector: element,
  }),
  location: { href: address }, history: { replaceState() {} }, matchMedia: () => Object.assign(new Element(), { matches: false }),
  ResizeObserver: class { observe() {} }, EventSource: Source, requestAnimationFrame: (then) => frames.push(then),
  fetch: async () => ({ ok: true, status: 200, json: async () => ({ done: "It was done." }), text: async () => "{}" }),
});
await import("../../Sources/StreamQueryInspector/Page/app.js");
const app = globalThis.inspector;
const frame = () => { for (const then of frames.splice(0)) then(performance.now()); };
const text = (id) => element(id).textContent;
const facts = (failing) => ({ client: "Shop", allows: { values: false, actions: true }, conditions: { offline: false, delay: 0, failing } });
test.after(() => {
  clearTimeout(app.timer);
  clearTimeout(app.toastTimer);
});

const told = new Pretend({ date: 1764430000 });
told.advance(5e6);
Source.newest.tell("record", told.whole());
Source.newest.tell("facts", facts(0));

test("a fetch that was to fail is not told any more when the app says that none is, or not as many", async () => {
  frame();
  assert.equal(app.link, "live");
  const [one, two] = app.record.lanes;
  await app.act({ do: "failNext", key: one.number });
  Source.newest.tell("facts", facts(1));
  frame();
  assert.equal(text("set-text"), `next fetch of ${one.text} fails`);
  // Another page has ended the conditions, or no page was there for a while.
  Source.newest.tell("facts", facts(0));
  frame();
  assert.deepEqual([text("set-text"), element("set").hidden], ["", true]);
  for (const lane of [one, two]) await app.act({ do: "failNext", key: lane.number });
  Source.newest.tell("facts", facts(2));
  frame();
  assert.equal(text("set-text"), `next fetch of ${one.text} fails · next fetch of ${short(two.text, 40)} fails`);
  // The event with which one of them began was lost.
  Source.newest.tell("facts", facts(1));
  frame();
  assert.equal(text("set-text"), "1 fetch to fail");
  Source.newest.tell("facts", facts(0));
});

test("the editor has the data without the changes of mutations, because it is what an edit replaces", () => {
  const edited = (answer) => {
    [app.detail.lane, app.detail.answer] = [app.record.lanes[0], answer];
    app.detail.edit(null);
    return element("editor-text").value;
  };
  assert.equal(edited({ dataText: '["a"]' }), '[\n  "a"\n]');
  assert.equal(edited({ dataText: '["a","b"]', baseText: '["a"]' }), '[\n  "a"\n]');
  assert.equal(edited({ dataText: '["b"]', baseText: null }), "");
  assert.equal(edited({ dataText: null }), "");
  [app.detail.lane, app.detail.answer] = [null, null];
});

test("a saved record stays one until the app that the page goes back to is there", () => {
  const other = new Pretend({ date: 1700000000 });
  other.advance(3e6);
  assert.equal(app.open(JSON.stringify(other.whole()), "other.json"), true);
  frame();
  assert.deepEqual([body.dataset.mode, text("link-text")], ["opened", "other.json"]);
  app.follow();
  frame();
  assert.deepEqual([body.dataset.mode, text("link-text"), app.record.date], ["opened", "Connecting…", 1700000000]);
  Source.newest.tell("end", {});
  frame();
  assert.deepEqual([body.dataset.mode, text("link-text")], ["opened", "Client was shut down"]);
  app.follow();
  Source.newest.tell("record", told.whole());
  frame();
  assert.deepEqual([body.dataset.mode, text("link-text"), app.record.date, app.isFollowing], ["live", "Live", 1764430000, true]);
  // It is opened again, and the app goes on with what it was told.
  app.open(JSON.stringify(other.whole()), "other.json");
  Source.newest.tell("record", told.whole());
  frame();
  assert.deepEqual([body.dataset.mode, text("link-text"), app.record.date], ["opened", "other.json", 1700000000]);
});

// What a lane of the timeline shows of the range in view, drawn onto a canvas that is not there.
import assert from "node:assert/strict";
import test from "node:test";
import { drawLane } from "../../Sources/StreamQueryInspector/Page/lanes.js";
import { Recording } from "../../Sources/StreamQueryInspector/Page/record.js";

const S = (bits) => [bits, 1, 0, 0, 1, 0, 0];
const [plain, layered, fetching] = [S(273), S(401), S(4501)];

/** The ranges, in seconds, in which the lane of the only key has a layer, while `from` to `to` are in view. */
function layers(record, from, to) {
  const found = [];
  const g = new Proxy({ fillRect: (x, y, width, height) => g.fillStyle === "layer" && height > 2 && found.push([x / 1e6, Math.min(to, (x + width) / 1e6)]) }, {
    get: (target, name) => target[name] ?? (() => ({ width: 0 })),
  });
  const colours = new Proxy({}, { get: (target, name) => name });
  drawLane({ g, record, colours, size: 27, from: from * 1e6, to: to * 1e6, end: record.now, x: (at) => at, hatch: (name) => name, hit: () => {}, selectedEvent: null }, record.lanes[0], 0);
  return found;
}

const record = (events, changes = {}) => new Recording({
  streamquery: "record", version: 1, date: 1764430000, now: 30e6, first: 1, lost: 0, options: [], keys: [[1, '["a"]', "Int", ["a"], null]],
  runs: [[1, '["save"]', null, null, 0], [2, '["save"]', null, null, 0]], errors: [], base: [1, 1], events, values: [], ...changes,
});

test("a layer that was laid before the range in view is shown in it", () => {
  const events = [[0, 1, 1, plain], [1e6, 16, 1, 1, layered], [1e6, 5, 1, 1, fetching], [1e6, 9, 1, 1, 0, layered]];
  const going = record(events);
  assert.deepEqual(layers(going, 0, 20), [[1, 20]]);
  assert.deepEqual(layers(going, 4, 20), [[4, 20]]);
  const twice = record([...events, [5e6, 17, 1, 1, plain], [4e6, 16, 1, 2, layered], [4e6, 17, 1, 2, plain]]);
  assert.deepEqual(layers(twice, 0, 20), [[1, 8], [12, 16]]);
  assert.deepEqual(layers(twice, 4, 14), [[4, 8], [12, 14]]);
  assert.deepEqual(layers(twice, 9, 20), [[12, 16]]);
  assert.deepEqual(layers(twice, 17, 20), []);
});

test("a layer that the state before the first event has is shown until it goes", () => {
  const keys = [[1, '["a"]', "Int", ["a"], layered]];
  assert.deepEqual(layers(record([[5e6, 3, 1, layered]], { keys }), 0, 20), [[0, 20]]);
  assert.deepEqual(layers(record([[5e6, 17, 1, 1, plain], [5e6, 12, 1, plain]], { keys }), 0, 20), [[0, 5]]);
  const both = [[5e6, 16, 1, 1, layered], [5e6, 17, 1, 1, plain], [0, 17, 1, 2, plain], [5e6, 16, 1, 1, layered]];
  assert.deepEqual(layers(record(both, { keys }), 0, 20), [[5, 10], [0, 10], [15, 20]]);
});

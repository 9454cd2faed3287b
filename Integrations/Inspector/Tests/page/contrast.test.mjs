// The contrast of text is at least 4.5:1, in both schemes: computed from the palette in style.css.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const style = readFileSync(new URL("../../Sources/StreamQueryInspector/Page/style.css", import.meta.url), "utf8");
const blocks = [...style.matchAll(/:root \{([^}]*)\}/g)].map((match) => match[1]).filter((text) => text.includes("--ink"));
const palette = (text) => Object.fromEntries([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map((match) => [match[1], match[2]]));
const light = palette(blocks[0]);
const schemes = { light, dark: { ...light, ...palette(blocks[1]) } };

const luminance = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
  .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (x + 0.05) / (y + 0.05);
};

const grounds = ["ground", "panel", "raised", "selected"];
const looks = ["fresh", "stale", "fetching", "paused", "error", "pending", "unknown", "layer"];
const pairs = [
  ...["ink", "soft", "accent", "error", "stale"].flatMap((text) => grounds.map((ground) => [text, ground])),
  ...looks.flatMap((text) => ["ground", "panel", "selected", "raised"].map((ground) => [text, ground])),
  ["on-accent", "accent"], ["on-accent", "fetching"], ["stale", "wash-warn"], ["error", "wash-error"], ["fresh", "wash-good"], ["panel", "ink"],
];

for (const [name, colours] of Object.entries(schemes)) {
  test(`text is readable in the ${name} scheme`, () => {
    let least = Infinity;
    for (const [text, ground] of pairs) {
      const found = contrast(colours[text], colours[ground]);
      least = Math.min(least, found);
      assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
    }
    console.log(`${name}: the least contrast is ${least.toFixed(2)}`);
  });
}

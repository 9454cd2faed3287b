// Takes the pictures of README.md: `node screenshot.mjs RECORD.json FOLDER [KEY] [SECONDS]`.
//
// The page shows the record at a time, by default at its end, with a key chosen. Each picture has at most 200 KB.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { Browser } from "./chromium.mjs";
import { serve } from "./dev-server.mjs";

const [path, folder, key, seconds] = process.argv.slice(2);
const browser = await Browser.start();
if (!browser) {
  console.log("SKIPPED: Chromium is not installed");
  process.exit(0);
}
const served = await serve({ stories: { "stories/record.json": readFileSync(path, "utf8") } });
for (const scheme of ["light", "dark"]) {
  const page = await browser.page(null, { width: 1280, height: 800 });
  await page.media({ scheme, still: true });
  await page.open(`${new URL("/", served.url)}?open=stories/record.json`);
  await page.until(() => document.body.dataset.mode === "opened");
  await page.run((text, at) => {
    const { inspector } = window;
    if (at !== null) inspector.seek(at * 1e6);
    if (text !== null) inspector.select(inspector.record.laneOf(text), false);
  }, key ?? null, seconds === undefined ? null : Number(seconds));
  await page.until(() => !window.inspector.keys.work && !window.inspector.keys.isOld && document.querySelectorAll("#sheet .row:not([hidden])").length > 0);
  await page.frame();
  const picture = `${folder}/inspector-${scheme}.png`;
  await page.shot(picture);
  assert.ok(statSync(picture).size <= 200_000, `${picture} has ${statSync(picture).size} bytes`);
  assert.deepEqual(page.problems, []);
  await page.close();
}
await browser.close();
await served.close();

// Pictures of every pane, to look at: `node shots.mjs FOLDER`.
import { mkdirSync } from "node:fs";
import { Browser } from "./chromium.mjs";
import { serve } from "./dev-server.mjs";
import { Pretend } from "./pretend.mjs";

const folder = process.argv[2] ?? "/tmp/p34shots";
mkdirSync(folder, { recursive: true });
const only = process.argv[3] ?? "";
const pretend = new Pretend({ date: 1764430000.25 });
pretend.advance(47.1e6);
const served = await serve({ pretend, isReal: false });
const browser = await Browser.start();
if (!browser) {
  console.log("SKIPPED: Chromium is not installed");
  process.exit(0);
}
for (const [width, height, isPhone] of [[1280, 800, false], [390, 844, true], [640, 400, true]]) {
  for (const scheme of ["light", "dark"]) {
    const page = await browser.page(null, { width, height, isPhone, scale: isPhone ? 2 : 1 });
    await page.media({ scheme });
    await page.open(served.url);
    await page.until(() => document.querySelectorAll("#sheet .row:not([hidden])").length > 5);
    const shot = async (name) => {
      if (only && !`${name}-${width}-${scheme}`.includes(only)) return;
      await page.frame();
      await page.frame();
      await page.shot(`${folder}/${name}-${width}-${scheme}.png`);
    };
    const tab = (name) => page.click(`#tabs [data-to="${name}"]`);
    await shot("keys");
    await page.run(() => { window.inspector.select(window.inspector.record.laneOf('["cart"]'), false); });
    if (isPhone) await tab("detail");
    await page.until(() => document.querySelector("#detail h2").textContent.includes("cart"));
    await page.until(() => document.querySelector("#data .tree"));
    await shot("detail");
    await page.run(() => { document.querySelector("#detail").scrollTop = 620; });
    await shot("detail-2");
    await page.run(() => { document.querySelector("#detail").scrollTop = 0; });
    await tab("runs");
    await shot("runs");
    await tab("cache");
    await shot("cache");
    if (isPhone) await tab("timeline");
    else await tab("keys");
    await page.run(() => {
      window.inspector.seek(24.6e6);
      const n = window.inspector.record.laneOf('["notifications"]').events.findLast((one) => window.inspector.record.event(one)[0] < 24e6);
      window.inspector.showEvent(n);
    });
    await page.until(() => !window.inspector.keys.work && !window.inspector.keys.isOld);
    await shot("past");
    if (!isPhone) {
      await page.choose("#depth", "1");
      await page.frame();
      await shot("groups");
      await page.choose("#depth", "0");
    }
    await page.click("#legend-button");
    await shot("signs");
    await page.click("#legend-button");
    await page.run(() => window.inspector.follow());
    await page.until(() => document.body.dataset.mode === "live");
    await page.run(() => window.inspector.act({ do: "offline" }));
    await page.run(() => window.inspector.act({ do: "delay", seconds: 2 }));
    await page.run(() => window.inspector.act({ do: "failNext", key: window.inspector.lane().keys.at(-1).number }));
    await page.until(() => document.querySelector("#set-text").textContent.includes("fails"));
    await shot("set");
    await page.run(() => window.inspector.seek(24.6e6));
    await shot("set-past");
    await page.run(() => window.inspector.endConditions());
    await page.until(() => document.querySelector("#set").hidden);
    if (page.problems.length) console.log(scheme, width, page.problems);
    await page.close();
  }
}
await browser.close();
await served.close();

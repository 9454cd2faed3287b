// The inspector end to end, in headless Chromium.
//
//   node e2e.mjs                    against the client that is not there (dev-server.mjs)
//   node e2e.mjs LINK               against a running app; leaves out what needs a restart
//   node e2e.mjs -- COMMAND ARG…    starts an app that prints its link, kills it, and starts it again
//
// An app that is tested so needs a key with an observer, or one that it gets soon. If it says `key KEY`, that one is used, and the
// app also says what it sees without the inspector: see Driver.swift of Playgrounds. Prints SKIPPED if Chromium is missing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, patience } from "./chromium.mjs";
import { serve } from "./dev-server.mjs";
import { Pretend } from "./pretend.mjs";
import { Recording } from "../../Sources/StreamQueryInspector/Page/record.js";

const folder = mkdtempSync(join(tmpdir(), "inspector-e2e-"));

// MARK: The app

const split = process.argv.indexOf("--");
const command = split < 0 ? null : process.argv.slice(split + 1);
const given = split < 0 ? process.argv[2] ?? null : null;

async function startCommand() {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const [lines, listeners] = [[], new Set()];
  let rest = "";
  child.stdout.on("data", (data) => {
    const all = `${rest}${data}`.split("\n");
    rest = all.pop();
    lines.push(...all);
    for (const listener of [...listeners]) listener();
  });
  /** The first line from a number on that begins so. */
  const says = (words, from = 0) => new Promise((resolve, reject) => {
    const look = () => {
      const line = lines.slice(from).find((one) => one.startsWith(words));
      if (line !== undefined) end(resolve, line);
    };
    const end = (how, what) => {
      clearTimeout(timer);
      listeners.delete(look);
      how(what);
    };
    const timer = setTimeout(() => end(reject, new Error(`the app did not say “${words}”, but ${lines.slice(from).slice(-8).join(" | ")}`)), patience);
    listeners.add(look);
    look();
  });
  child.once("exit", (status) => lines.push(`ended with ${status}`));
  const link = /http:\/\/(127\.0\.0\.1|localhost):\d+\/\?token=\w+/.exec(await says("StreamQuery: inspector at"))[0];
  const kill = () => new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGKILL");
  });
  const key = lines.find((one) => one.startsWith("key "))?.slice(4);
  return { url: link, kill, restart: startCommand, driver: key ? { key, lines, says, tell: (line) => child.stdin.write(`${line}\n`) } : null };
}

async function startPretend(port = 0) {
  const pretend = new Pretend({ seed: 11 });
  pretend.advance(3e6);
  const served = await serve({ pretend, port });
  return { url: served.url, kill: served.close, served, restart: () => startPretend(served.port) };
}

async function start() {
  if (given) return { url: given, kill: null };
  if (command) return startCommand();
  return startPretend();
}

/** A static site: the page in a folder, and files beside it. */
async function serveFolder(prefix, files) {
  const folderOfPage = new URL("../../Sources/StreamQueryInspector/Page/", import.meta.url);
  const types = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml", json: "application/json" };
  const server = createServer((asked, response) => {
    const path = new URL(asked.url, "http://x").pathname;
    const name = path.startsWith(prefix) ? path.slice(prefix.length) || "index.html" : "";
    const text = files[name] ?? (/^[\w-]+\.\w+$/.test(name) && existsSync(new URL(name, folderOfPage)) ? readFileSync(new URL(name, folderOfPage)) : null);
    response.writeHead(text === null ? 404 : 200, { "Content-Type": types[name.split(".").at(-1)] ?? "text/plain" });
    response.end(text ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => {
    server.closeAllConnections();
    server.close(resolve);
  });
  return { url: `http://127.0.0.1:${server.address().port}${prefix}`, close };
}

// MARK: Steps

const steps = [];
const step = (name, run) => steps.push({ name, run });

const isLive = (page) => page.until(() => ["live", "missed"].includes(document.querySelector("#link").dataset.state) && window.inspector.record !== null);
const mode = (page, name) => page.until((wanted) => document.body.dataset.mode === wanted, name);
const next = (page) => page.run(() => window.inspector.record.end);

/** Waits for an event of one of the codes, about a key if one is given, from a number on. */
const event = (page, from, codes, key = null) => page.until((first, wanted, text) => {
  const { record } = window.inspector;
  for (let n = Math.max(first, record.first); n < record.end; n += 1) {
    const one = record.event(n);
    if (wanted.includes(one[1]) && (text === null || record.keys.get(one[2])?.text === text)) return n;
  }
  return 0;
}, from, codes, key);

const choose = async (page, key) => {
  await page.run((text) => window.inspector.select(window.inspector.record.laneOf(text), false), key);
  await page.until((text) => document.querySelector("#detail h2").textContent === text, key);
};

/** A key that has observers and data, and no fetch; INSPECTOR_KEY names one. */
const observed = (page) => page.until((wanted) => {
  const { record } = window.inspector;
  return record.current.rows.find((row) => row && row.state[1] > 0 && (row.state[0] & 16) && !(row.state[0] & 12) && (!wanted || row.key.text === wanted))?.key.text;
}, process.env.INSPECTOR_KEY ?? app.driver?.key ?? null);

/** Waits until the app has seen something happen to a key; `label` is how it says that. */
const seen = (label, key, from) => app.driver?.says(`saw ${label} ${key}`, from);
const said = () => app.driver?.lines.length ?? 0;

async function press(page, name, key, codes, label = null) {
  await choose(page, key);
  await page.until((one) => document.querySelector(`[data-do="${one}"]`).getAttribute("aria-disabled") === null, name);
  const [from, line] = [await next(page), said()];
  await page.click(`[data-do="${name}"]`);
  if (codes) await event(page, from, codes, key);
  if (label) await seen(label, key, line);
  await page.until(() => document.querySelector("#toast").dataset.shown === "true" && document.querySelector("#toast").textContent.length > 3);
  return from;
}

step("attach: the link opens the page, which hides the token and shows the keys", async ({ page, app }) => {
  await page.open(app.url);
  await isLive(page);
  await page.until(() => document.querySelectorAll("#sheet .row:not([hidden])").length > 0);
  assert.equal(await page.run(() => location.search), "");
});

step("a fetch appears: in the list, and in the record with its cause", async ({ page }) => {
  await event(page, await next(page), [5]);
  await page.until(() => document.querySelector('#sheet .row .cause')?.textContent.length > 0);
});

step("a click on a row shows the detail, and why it was fetched", async ({ page }) => {
  const key = await observed(page);
  await page.type("#filter", key);
  await page.until((text) => [...document.querySelectorAll("#sheet .row:not([hidden]) .text")].some((one) => one.textContent === text), key);
  await page.until(() => !window.inspector.keys.work && !window.inspector.keys.isOld);
  const place = await page.run((text) => {
    const row = [...document.querySelectorAll("#sheet .row:not([hidden])")].find((one) => one.querySelector(".text").textContent === text);
    const box = row.getBoundingClientRect();
    return { x: box.x + 60, y: box.y + box.height / 2 };
  }, key);
  await page.clickAt(place.x, place.y);
  await page.until((text) => document.querySelector("#detail h2").textContent === text && document.querySelector("#why").textContent.endsWith("."), key);
  await page.until(() => /observe/.test(document.querySelector("#who").textContent));
  await page.run(() => {
    const filter = document.querySelector("#filter");
    filter.value = "";
    filter.dispatchEvent(new Event("input"));
  });
});

step("each button has its effect", async ({ page, log }) => {
  const key = await observed(page);
  await press(page, "refetch", key, [5], "fetching");
  await press(page, "invalidate", key, [13], "invalidated");
  await press(page, "setStale", key, [13, 0], "invalidated");
  const canEdit = await page.run(() => window.inspector.facts?.allows?.values !== false);
  if (canEdit) {
    await page.until(() => document.querySelector("#data .tree"));
    const from = await next(page);
    await choose(page, key);
    await page.click('[data-do="setData"]');
    await page.until(() => document.querySelector("#editor").open && document.querySelector("#editor-text").value.length > 0);
    const text = await page.run(() => document.querySelector("#editor-text").value);
    await page.type("#editor-text", "{");
    await page.click("#editor-done");
    await page.until(() => document.querySelector("#editor-error").textContent.startsWith("This is not JSON"));
    if (app.driver) {
      await page.type("#editor-text", "{}");
      await page.click("#editor-done");
      await page.until(() => document.querySelector("#editor-error").textContent.startsWith("The data is no "));
    }
    const edited = app.driver ? text.replace(/\d+/, "9007199254740993") : text;
    const line = said();
    await page.type("#editor-text", edited);
    await page.click("#editor-done");
    await page.until(() => !document.querySelector("#editor").open || document.querySelector("#editor-error").textContent.length > 0);
    assert.equal(await page.text("#editor-error"), "", "the data is written");
    await event(page, from, [12], key);
    if (app.driver) assert.equal((await app.driver.says(`data ${key} `, line)).slice(key.length + 6), edited.replace(/\s/g, ""));
  } else {
    log("the app shows no values: editing is disabled with a reason");
    await page.until(() => document.querySelector('[data-do="setData"]').title.length > 3);
  }
  await page.until((text) => !(window.inspector.record.row(window.inspector.record.current, window.inspector.record.laneOf(text)).state[0] & 12), key);
  await press(page, "failNext", key, null);
  const line = said();
  const failing = await press(page, "refetch", key, [10, 6]);
  await event(page, failing, [9, 10, 11], key);
  await seen("failed (a developer tool made the fetch fail)", key, line);
  await press(page, "refetch", key, [5], "fetching");
  await press(page, "reset", key, [14], "reset");
  await event(page, await next(page) - 200, [5], key);
  await press(page, "remove", key, [2], "removed (removed)");
});

step("data is edited as text: a number that JavaScript would round stays, and nothing is edited that has not come", async ({ page, app }) => {
  if (!app.served) return "needs the client that is not there";
  const key = await observed(page);
  await choose(page, key);
  const button = '[data-do="setData"]';
  await page.until((one) => document.querySelector(one).getAttribute("aria-disabled") === null, button);
  for (const text of ['{"id": 9007199254740993, "ratio": 1.10}', '{"id": 18446744073709551615}']) {
    await page.click(button);
    await page.until(() => document.querySelector("#editor").open);
    await page.type("#editor-text", text);
    await page.click("#editor-done");
    await page.until(() => !document.querySelector("#editor").open);
    assert.equal(app.served.pretend.byText.get(key).written, text);
    await page.until((digits) => document.querySelector("#data").textContent.includes(digits), /\d{9,}/.exec(text)[0]);
  }
  await page.click(button);
  await page.until(() => document.querySelector("#editor-text").value.includes("18446744073709551615"));
  await page.click("#editor-cancel");
  // An app that does not answer.
  const reason = await page.run((one) => {
    const { detail } = window.inspector;
    [detail.answer, detail.isAsking] = [null, true];
    detail.frame();
    document.querySelector(one).click();
    const found = [document.querySelector(one).title, document.querySelector(one).getAttribute("aria-disabled"), document.querySelector("#editor").open];
    [detail.asked, detail.isAsking] = [null, false];
    return found;
  }, button);
  assert.deepEqual(reason, ["The data has not come yet.", "true", false]);
});

step("offline, online and a delay reach the client", async ({ page }) => {
  let from = await next(page);
  await page.click("#offline");
  await event(page, from, [50]);
  await page.until(() => document.querySelector("#offline").getAttribute("aria-pressed") === "true");
  let line = said();
  if (app.driver) await press(page, "refetch", app.driver.key, [7], "paused");
  from = await next(page);
  await page.click("#offline");
  await event(page, from, [50]);
  await seen("resumed", app.driver?.key, line);
  await page.choose("#delay", "1");
  await page.until(() => window.inspector.facts.conditions.delay === 1 && document.querySelector("#toast").textContent.length > 3);
  if (app.driver) {
    const key = await observed(page);
    line = said();
    await press(page, "refetch", key, [5]);
    const slow = await app.driver.says(`saw fetched ${key} for manual`, line);
    assert.ok(/ in ([\d.]+) seconds/.exec(slow)?.[1] >= 1, slow);
  }
  await page.choose("#delay", "0");
  await page.until(() => window.inspector.facts.conditions.delay === 0);
});

step("conditions are there to be seen, and one click ends them, in the past too", async ({ page }) => {
  const key = await observed(page);
  await page.until(() => document.querySelector("#set").hidden);
  await page.click("#offline");
  await page.until(() => document.querySelector("#set-text").textContent.includes("app offline"));
  await page.choose("#delay", "2");
  await page.until(() => document.querySelector("#set-text").textContent.includes("2 s slower"));
  await press(page, "failNext", key, null);
  await page.until((text) => document.querySelector("#set-text").textContent.includes(`next fetch of ${text}`), key.slice(0, 40));
  await page.click("#play-pause");
  await mode(page, "past");
  // The line about the past moves what is below it.
  await page.frame();
  await page.click("#set-end");
  await page.until(() => document.querySelector("#set").hidden && !window.inspector.facts.conditions.offline && window.inspector.facts.conditions.delay === 0);
  await page.click("#to-now");
  await mode(page, "live");
  // Another page does not know which fetch it is, nor does this one after it was loaded anew.
  await page.click("#offline");
  await press(page, "failNext", key, null);
  await page.until(() => window.inspector.facts.conditions.failing === 1);
  await page.run(() => window.inspector.failing.clear());
  await page.until(() => document.querySelector("#set-text").textContent === "app offline · 1 fetch to fail");
  await page.click("#set-end");
  await page.until(() => document.querySelector("#set").hidden && window.inspector.facts.conditions.failing === 0);
});

step("a page answers when the app asks whether somebody is there", async ({ app }) => {
  if (!app.served) return "needs the client that is not there: an app asks after ten seconds";
  const { pretend, ask } = app.served;
  ask();
  while (!pretend.stays) await new Promise((resolve) => setTimeout(resolve, 20));
});

step("a store says with which error it was not written, and when", async ({ page, app }) => {
  if (!app.served) return "needs the client that is not there: the sample has no store";
  const { pretend, flush } = app.served;
  await page.click('#tabs [data-to="cache"]');
  const row = () => page.run(() => [...document.querySelectorAll("#cache tr")].map((one) => one.innerText).find((text) => text.includes("FileStore cache")));
  await page.until(() => document.querySelector("#cache")?.innerText.includes("FileStore cache"));
  assert.doesNotMatch(await row(), /no room/);
  pretend.failToWrite("there is no room <b>left</b>");
  flush();
  await page.until(() => document.querySelector("#cache").innerText.includes("FileStore cache failed: there is no room <b>left</b>"));
  assert.match(await row(), /2 changes wait\s+[\d:.]+ ?s?: there is no room <b>left<\/b>/);
  pretend.writeError = undefined;
  flush();
  await page.until(() => ![...document.querySelectorAll("#cache tr")].some((one) => one.innerText.includes("no room")));
  await page.click('#tabs [data-to="keys"]');
});

step("data that the app would not take is not sent", async ({ page }) => {
  const said = await page.run(() => window.inspector.live.act({ do: "setData", key: 1, dataText: "é".repeat(600_000) }).catch((error) => error.message));
  assert.equal(said, "The app takes 1 MiB at most.");
});

step("a page that nobody sees gives its connection back, and goes on with what it has", async ({ page }) => {
  const hide = (isHidden) => page.run((hidden) => {
    window.inspector.hiddenFor = 50;
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
  await page.click("#offline");
  await page.until(() => window.inspector.facts.conditions.offline);
  await hide(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await page.run(() => window.inspector.link), "live", "conditions go on as long as a page is there");
  await page.run(() => window.inspector.endConditions());
  await page.until(() => document.querySelector("#link").dataset.state === "hidden" && document.querySelector("#link-text").textContent.includes("Paused"));
  const known = await page.run(() => {
    window.known = window.inspector.record;
    return { first: window.known.first, end: window.known.end };
  });
  await hide(false);
  await isLive(page);
  await event(page, known.end, [5, 9, 12]);
  assert.deepEqual(await page.run(() => [window.inspector.record === window.known, window.inspector.record.first]), [true, known.first]);
});

step("scrubbed back, the whole page shows that time, and nothing can be done", async ({ page }) => {
  const { left, top, width, height } = await page.place("#overview");
  await page.clickAt(left + width * 0.5, top + height / 2);
  await mode(page, "past");
  await page.until(() => !document.querySelector("#past").hidden);
  await page.until(() => document.querySelector('[data-do="refetch"]').getAttribute("aria-disabled") === "true" && document.querySelector("#reason").textContent.includes("past"));
  const agree = await page.run(() => {
    const { record, at, moment } = window.inspector;
    return moment === record.momentBefore(record.after(at)) && at < record.now;
  });
  assert.ok(agree, "the page shows the moment of its time");
  await page.run(() => document.querySelector("#lanes").focus());
  await page.key("Home");
  await page.until(() => window.inspector.at === window.inspector.record.start);
  await page.click("#to-now");
  await mode(page, "live");
});

step("the timeline: a click goes to an event, the wheel zooms, a drag moves", async ({ page }) => {
  await choose(page, await observed(page));
  await page.run(() => window.inspector.timeline.fit());
  await page.click("#play-pause");
  await mode(page, "past");
  await page.frame();
  const box = await page.place("#canvas");
  const hit = await page.until(() => {
    const { a, b, y, tall } = window.inspector.timeline.hits.find((one) => one.lane && one.lane === window.inspector.lane()) ?? {};
    return a === undefined ? null : { a, b, y, tall };
  });
  await page.clickAt(box.left + (hit.a + hit.b) / 2, box.top + hit.y + hit.tall / 2);
  const found = await page.until(() => window.inspector.selectedEvent && window.inspector.at === window.inspector.record.event(window.inspector.selectedEvent)[0]);
  assert.ok(found);
  await page.until(() => document.querySelector("#caption").textContent.length > 3 && document.querySelector('#history [aria-current="true"]'));
  const span = () => page.run(() => window.inspector.timeline.span);
  const before = await span();
  await page.wheel(box.left + box.width / 2, box.top + 60, 0, -240, 2);
  await page.until((old) => window.inspector.timeline.span < old, before);
  const from = await page.run(() => window.inspector.timeline.from);
  await page.drag(box.left + box.width / 2, box.top + 60, 120, 0);
  await page.until((old) => window.inspector.timeline.from < old, from);
  const at = await page.run(() => window.inspector.at);
  await page.click("#prev");
  await page.until((time) => window.inspector.at < time, at);
  await page.click("#next-event");
  await page.until((time) => window.inspector.at === time, at);
  await page.click("#zoom-fit");
  await page.until((old) => window.inspector.timeline.span > old, await span() - 1);
  await page.click("#to-now");
  await mode(page, "live");
});

step("the record is saved, and opens again without a client, by button and by drop", async ({ page, browser }) => {
  await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true });
  const done = browser.event((message) => message.method === "Browser.downloadProgress" && message.params.state === "completed", "the download");
  await page.click("#save-file");
  await done;
  const name = readdirSync(folder).find((one) => one.startsWith("streamquery-record"));
  assert.ok(name, "the file has its name");
  const record = Recording.open(readFileSync(join(folder, name), "utf8"));
  assert.ok(record.events.length > 5);
  await page.giveFile("#file", join(folder, name));
  await mode(page, "opened");
  await page.until((count) => window.inspector.record.events.length === count, record.events.length);
  await page.click("#to-start");
  await page.until(() => window.inspector.at === window.inspector.record.start);
  await page.choose("#speed", "16");
  await page.click("#play-pause");
  await page.until(() => window.inspector.at > window.inspector.record.start + 1e5);
  await page.until(() => document.querySelector("#reason").textContent.includes("no client"));
  await page.run(() => window.inspector.seek(0));
  await page.choose("#speed", "1");
  writeFileSync(join(folder, "cut.json"), readFileSync(join(folder, name), "utf8").slice(0, -40));
  await page.drop(300, 300, join(folder, "cut.json"));
  await page.until(() => document.querySelector("#toast").textContent.includes("cut off"));
  await page.drop(300, 300, join(folder, name));
  await page.until((one) => document.querySelector("#link-text").textContent === one, name);
  await page.click("#to-now");
  await isLive(page);
  await mode(page, "live");
});

step("a saved record that is opened leaves the app its conditions, says so, and can end them", async ({ page, app }) => {
  const file = join(folder, "other.json");
  const told = new Pretend({ date: 1764430000 });
  told.advance(5e6);
  writeFileSync(file, JSON.stringify(told.whole()));
  await page.click("#offline");
  await page.until(() => document.querySelector("#set-text").textContent === "app offline");
  await page.giveFile("#file", file);
  await mode(page, "opened");
  await page.until(() => document.querySelector("#toast").textContent === "In the app this goes on: app offline." && !document.querySelector("#set").hidden);
  // By its stream the app knows that a page is there. What comes in it changes nothing of the record.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.equal(await page.run(() => window.inspector.live.source.readyState), 1);
  if (app.served) assert.equal(app.served.pretend.isForcedOffline, true);
  assert.deepEqual(await page.run(() => [window.inspector.record.date, document.querySelector("#link-text").textContent, document.querySelector("#set-text").textContent]),
    [1764430000, "other.json", "app offline"]);
  await page.click("#set-end");
  await page.until(() => document.querySelector("#set").hidden && window.inspector.live.source === null);
  if (app.served) assert.equal(app.served.pretend.isForcedOffline, false);
  await mode(page, "opened");
  await page.click("#to-now");
  await isLive(page);
  await mode(page, "live");
  assert.equal(await page.run(() => window.inspector.facts?.conditions?.offline ?? false), false);
});

step("a key with markup stays text", async ({ page }) => {
  const markup = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>";
  const s = [4369, 1, 0, 1e6, 1, 0, 1];
  const file = join(folder, "hostile.json");
  writeFileSync(file, JSON.stringify({
    streamquery: "record", version: 1, date: 1764430000, now: 5e6, first: 1, lost: 0, options: [[1, { staleTime: 1e7, "<b>": markup }]],
    keys: [[1, markup, markup, [markup, { __proto__: 1 }], null]], runs: [[1, markup, markup, null, 1e6]], errors: [[1, markup]], base: [1, 1],
    events: [[1e6, 1, 1, s], [0, 5, 1, 1, s], [1e6, 6, 1, 1, 1, 1e6, 1, s], [1e5, 30, 1], [0, 16, 1, 1, s], [1e5, 38, 1, 1], [0, 52, markup], [0, 54, 0, markup, 1], [0, 10, 1, 1, 1, s]],
    values: [[2, JSON.stringify({ [markup]: markup })]],
  }));
  await page.giveFile("#file", file);
  await page.until((one) => document.querySelector("#detail h2").textContent === one, markup);
  for (const tab of ["runs", "cache", "keys"]) await page.click(`#tabs [data-to="${tab}"]`);
  await page.choose("#depth", "1");
  await page.frame();
  await page.choose("#depth", "0");
  const found = await page.run(() => [document.title, document.querySelectorAll("body img:not([src='icon.svg']), body script").length]);
  assert.deepEqual(found, ["StreamQuery inspector", 0]);
  await page.click("#to-now");
  await isLive(page);
});

step("a static story opens without a server behind it, in any folder, and plays", async ({ browser }) => {
  const told = new Pretend({ date: 1764430000 });
  told.advance(50e6);
  const files = {
    "stories/index.json": JSON.stringify([{ file: "shop.json", title: "A shop", text: "Somebody looks at chairs." }, { file: "../evil.json", title: "No" }]),
    "stories/shop.json": JSON.stringify(told.whole()),
  };
  const site = await serveFolder("/a/b/", files);
  const other = await browser.page(`${site.url}index.html`);
  await other.until(() => document.querySelectorAll("#welcome a").length === 1);
  const loaded = other.loaded();
  await other.click("#welcome a");
  await loaded;
  await other.until(() => document.body.dataset.mode === "opened" && document.querySelector("#link-text").textContent === "A shop");
  await other.until(() => document.querySelector("#caption").textContent.includes("chairs") && document.querySelector("#conditions").hidden);
  await other.choose("#speed", "16");
  await other.click("#play-pause");
  await other.until(() => window.inspector.at > 1e6 && window.inspector.at < window.inspector.record.now);
  for (const bad of ["https://evil.example/a.json", "//evil.example/a.json", "../evil.json", "stories/none.json"]) {
    await other.open(`${site.url}?open=${encodeURIComponent(bad)}`);
    await other.until(() => !document.querySelector("#welcome").hidden && document.querySelector("#toast").textContent.length > 3);
  }
  assert.deepEqual(other.problems, []);
  await other.close();
  await site.close();
});

step("the keyboard reaches the list, the timeline and every control", async ({ page }) => {
  await page.run(() => document.querySelector("#grid").focus());
  await page.key("Home");
  const first = await page.until(() => window.inspector.selected?.text);
  await page.key("ArrowDown");
  await page.until((before) => window.inspector.selected.text !== before, first);
  await page.until(() => document.getElementById(document.querySelector("#grid").getAttribute("aria-activedescendant"))?.getAttribute("aria-selected") === "true");
  await page.run(() => document.body.focus() ?? document.activeElement.blur());
  await page.key("/", "/");
  await page.until(() => document.activeElement.id === "filter");
  await page.key("Escape");
  const key = await observed(page);
  await choose(page, key);
  await page.run(() => document.querySelector("#lanes").focus());
  await page.key("ArrowLeft");
  await page.until(() => window.inspector.selectedEvent !== null && document.querySelector("#caption").textContent.length > 3);
  await page.key("Enter");
  await mode(page, "past");
  const before = await page.run(() => window.inspector.timeline.span);
  await page.key("+");
  await page.until((span) => window.inspector.timeline.span < span, before);
  await page.key("End");
  await mode(page, "live");
  const unreachable = await page.run(() => [...document.querySelectorAll("button, select, input, textarea, a, [role=slider], [role=separator]")]
    .filter((one) => one.getClientRects().length && one.tabIndex < 0).map((one) => one.outerHTML.slice(0, 80)));
  assert.deepEqual(unreachable, []);
  const unnamed = await page.run(() => [...document.querySelectorAll("button, select, input:not([hidden]), textarea, [role=slider], [role=grid], section")]
    .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length)).map((one) => one.outerHTML.slice(0, 80)));
  assert.deepEqual(unnamed, []);
});

step("a reader of the screen hears of states, not of events, and finds rows in their order", async ({ page }) => {
  const live = await page.run(() => [...document.querySelectorAll("[role=status], [role=alert], [aria-live], output")].filter((one) => one.checkVisibility()).map((one) => one.id));
  assert.deepEqual(live.filter((id) => !["said", "caption", "toast", "set-text"].includes(id)), []);
  const said = await page.run(() => new Promise((resolve) => {
    const found = [];
    const watch = new MutationObserver(() => found.push(document.querySelector("#said").textContent));
    watch.observe(document.querySelector("#said"), { childList: true, characterData: true, subtree: true });
    setTimeout(() => {
      watch.disconnect();
      resolve(found);
    }, 1500);
  }));
  assert.deepEqual(said, [], "events are not told");
  await page.click("#play-pause");
  await page.until(() => document.querySelector("#said").textContent === "Live. The page shows the past.");
  await page.click("#to-now");
  await page.until(() => document.querySelector("#said").textContent === "Live.");
  await page.choose("#depth", "1");
  await page.until(() => document.querySelector("#grid").getAttribute("role") === "treegrid" && document.querySelector('#sheet .group[aria-level="1"]:not([hidden])') !== null);
  await page.choose("#depth", "0");
  await page.until(() => document.querySelector("#grid").getAttribute("role") === "grid");
  for (const top of [0, 500, 120, 0]) {
    await page.run((value) => { document.querySelector("#rows").scrollTop = value; }, top);
    await page.frame();
    const [owned, shown, count] = await page.run(() => [
      document.querySelector("#rows").getAttribute("aria-owns").split(" ").map((id) => Number(document.getElementById(id)?.getAttribute("aria-rowindex"))),
      [...document.querySelectorAll("#sheet .row:not([hidden])")].length, Number(document.querySelector("#grid").getAttribute("aria-rowcount"))]);
    assert.deepEqual(owned, Array.from({ length: shown }, (_, i) => owned[0] + i));
    assert.ok(owned.at(-1) <= count);
  }
});

step("two pages at once: an action in one is seen in the other", async ({ page, browser, app }) => {
  const other = await browser.page(app.url);
  await isLive(other);
  await page.front();
  const key = await observed(page);
  const from = await next(other);
  await press(page, "invalidate", key, [13]);
  await event(other, from, [13], key);
  assert.deepEqual(other.problems, []);
  await other.close();
});

step("a wrong token, another origin and another host are refused", async ({ app, browser }) => {
  const wrong = new URL(app.url);
  wrong.searchParams.set("token", "wrong");
  const other = await browser.page(wrong.href);
  await other.until(() => document.querySelector("#link").dataset.state === "refused" && document.querySelector("#refusal")?.textContent.includes("link"));
  await other.close();
  const { port, searchParams } = new URL(app.url);
  const status = (path, headers) => new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path, headers }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode);
    });
    call.on("error", reject);
    call.end();
  });
  const token = searchParams.get("token");
  const own = `127.0.0.1:${port}`;
  const [events, detail] = [`/events?token=${token}`, `/detail?key=1&token=${token}`];
  assert.equal(await status(events, { Host: "evil.example" }), 421);
  assert.equal(await status("/", { Host: `evil.example:${port}` }), 421);
  assert.equal(await status(detail, { Host: own, Origin: "http://evil.example" }), 403);
  assert.equal(await status(detail, { Host: own, Origin: "null" }), 403);
  assert.equal(await status("/record", { Host: own }), 401);
  assert.equal(await status(events, { Host: own }), 200);
});

step("100,000 keys: at most 200 rows in the document, and the time of a frame", async ({ browser, log, app }) => {
  if (app.driver) return "it is about the page alone, which was measured before the client that is not there";
  const many = new Pretend({ keys: 100_000, values: false });
  many.advance(1e6);
  // Without an app of our own, the record comes from a file: it plays then.
  const served = given || command ? null : await serve({ pretend: many });
  const page = await browser.page(served ? served.url : app.url);
  if (!served) {
    many.advance(30e6);
    const file = join(folder, "many.json");
    writeFileSync(file, JSON.stringify(many.whole()));
    await isLive(page);
    await page.giveFile("#file", file);
  }
  await page.until(() => document.querySelector("#count-keys").textContent.startsWith("100,0"));
  await page.until(() => !window.inspector.keys.work);
  const { left, top, width, height } = await page.place("#rows");
  const measure = async (name, during) => {
    const found = await page.frames(during);
    const rows = await page.run(() => document.querySelectorAll("#sheet .row").length);
    log(`${name}: ${found.frames} frames, median ${found.median.toFixed(1)} ms, 95 % ${found.p95.toFixed(1)} ms, most ${found.most.toFixed(1)} ms, ${rows} rows`);
    assert.ok(rows <= 200, `${rows} rows`);
    return found;
  };
  const results = [];
  results.push(await measure("scrolling", () => page.run(() => new Promise((resolve) => {
    const rows = document.querySelector("#rows");
    let i = 0;
    const go = () => {
      rows.scrollTop = ((Math.floor(i / 3) * 7919 * 32) % 3_000_000) + (i % 3) * 900;
      i += 1;
      if (i < 120) requestAnimationFrame(go); else resolve();
    };
    go();
  }))));
  results.push(await measure("sorting", async () => {
    const ordinal = await page.run(() => window.inspector.keys.ordinal);
    await page.click(".columns .age button");
    await page.until((before) => window.inspector.keys.ordinal > before, ordinal);
  }));
  results.push(await measure("filtering", async () => {
    await page.type("#filter", "99");
    await page.until(() => !window.inspector.timeline.search && document.querySelector("#count-keys").textContent.includes(" of "));
  }));
  results.push(await measure("scrubbing", () => page.run(() => new Promise((resolve) => {
    const { record } = window.inspector;
    let i = 0;
    const go = () => {
      window.inspector.seek(record.start + ((record.now - record.start) * ((i * 37) % 100)) / 100);
      i += 1;
      if (i < 60) requestAnimationFrame(go); else resolve();
    };
    go();
  }))));
  await page.wheel(left + width / 2, top + height / 2, 0, 400);
  if (process.env.INSPECTOR_STRICT === "1") for (const found of results) assert.ok(found.p95 <= 8, `95 % of the frames took ${found.p95} ms or less`);
  assert.deepEqual(page.problems, []);
  await page.close();
  await served?.close();
});

step("more events than the page can get: the lost ones are counted, and states are right again", async ({ page, app }) => {
  if (!app.served && !app.driver) return "needs an app that writes faster than a page can be told";
  const count = app.driver ? 100_000 : 20_000;
  if (app.driver) app.driver.tell("burst");
  else {
    const { pretend, flush } = app.served;
    const entry = pretend.entry(["burst"], "Burst", 1);
    for (let i = 0; i < count; i += 1) pretend.write(entry, i);
    flush();
  }
  await page.until(() => window.inspector.missed > 10_000 && document.querySelector("#link-text").textContent.includes("missed"));
  await page.until((text, updates) => window.inspector.record.row(window.inspector.record.current, window.inspector.record.laneOf(text))?.state[4] === updates, '["burst"]', count);
  assert.ok(await page.run(() => window.inspector.record.events.length) <= 75_000);
});

step("a page that misses events again and again keeps its choice, its filter and its place", async ({ page, app }) => {
  if (!app.served) return "needs the client that is not there";
  const { pretend, flush } = app.served;
  for (let i = 0; i < 200; i += 1) pretend.entry(["many", i], "Many", 1);
  flush();
  await page.type("#filter", "many");
  await page.until(() => document.querySelector("#count-keys").textContent.startsWith("200 of"));
  await choose(page, '["many", 150]');
  await page.run(() => {
    document.querySelector("#rows").scrollTop = 3000;
    document.querySelector("#detail").scrollTop = 60;
    window.seen = { records: new Set(), fewest: Infinity, scroll: new Set(), places: new Set() };
    const look = () => {
      window.seen.records.add(window.inspector.record);
      window.seen.fewest = Math.min(window.seen.fewest, document.querySelectorAll("#sheet .row:not([hidden])").length);
      window.seen.scroll.add(document.querySelector("#rows").scrollTop);
      window.seen.places.add(document.querySelector("#detail").scrollTop);
      window.seen.frame = requestAnimationFrame(look);
    };
    requestAnimationFrame(() => requestAnimationFrame(look));
  });
  await page.frame();
  const burst = pretend.entry(["burst"], "Burst", 1);
  const begun = Date.now();
  const before = await page.run(() => window.inspector.missed);
  for (let round = 0; round < 20; round += 1) {
    for (let i = 0; i < 6000; i += 1) pretend.write(burst, i);
    flush();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await page.until((missed) => window.inspector.missed > missed + 10_000 && !window.inspector.held, before);
  await page.until((updates) => window.inspector.record.row(window.inspector.record.current, window.inspector.record.laneOf('["burst"]'))?.state[4] === updates, burst.updates);
  const seen = await page.run(() => {
    cancelAnimationFrame(window.seen.frame);
    return { ...window.seen, records: window.seen.records.size, scroll: [...window.seen.scroll], places: [...window.seen.places], text: window.inspector.lane().text };
  });
  const seconds = (Date.now() - begun) / 1000;
  assert.ok(seen.records >= 2 && seen.records <= seconds + 2, `${seen.records} records in ${seconds} s`);
  assert.ok(seen.fewest > 5, `${seen.fewest} rows`);
  assert.deepEqual([seen.scroll, seen.places, seen.text], [[3000], [60], '["many", 150]']);
  assert.equal(await page.run(() => document.querySelector("#filter").value), "many");
  await page.run(() => {
    document.querySelector("#filter").value = "";
    document.querySelector("#filter").dispatchEvent(new Event("input"));
  });
});

step("times that are no longer kept are told, not shown", async ({ page, app }) => {
  if (!app.served) return "needs the client that is not there";
  await page.run(() => {
    window.inspector.record.keep = 100;
    window.inspector.seek(window.inspector.record.start);
  });
  const { pretend, flush } = app.served;
  const entry = pretend.entry(["left", "out"], "LeftOut", 1);
  for (let i = 0; i < 300; i += 1) pretend.write(entry, i);
  flush();
  await page.until(() => document.querySelector("#past").textContent.startsWith("The time that was shown is no longer kept"));
  await page.until(() => window.inspector.record.isCut && window.inspector.at === window.inspector.record.start);
  await page.run(() => window.inspector.seek(0));
  await page.until(() => document.querySelector("#toast").textContent.includes("is not kept") && window.inspector.at === window.inspector.record.start);
  await page.run(() => { window.inspector.record.keep = 60_000; });
  await page.click("#to-now");
  await mode(page, "live");
});

step("the app is killed: the page says so, keeps what it has, and is live again", async ({ page, app, log }) => {
  if (!app.kill) return "needs an app that this script starts";
  await isLive(page);
  const before = await page.run(() => window.inspector.record.date);
  await app.kill();
  await page.until(() => document.querySelector("#link").dataset.state === "lost");
  await page.until(() => document.querySelectorAll("#sheet .row:not([hidden])").length > 0);
  const again = await app.restart();
  Object.assign(app, again);
  const state = new URL(again.url).port === await page.run(() => location.port)
    ? await page.until(() => ["live", "refused"].find((one) => one === document.querySelector("#link").dataset.state)) : "elsewhere";
  if (state !== "live") {
    log(`after the restart: ${state}; the new link is opened`);
    await page.open(again.url);
  }
  await isLive(page);
  await page.until((date) => window.inspector.record.date !== date, before);
});

step("the client is shut down: the page says so", async ({ page, app }) => {
  if (!app.served && !app.driver) return "needs an app that shuts its client down when it is told";
  if (app.driver) app.driver.tell("end");
  else app.served.end();
  await page.until(() => document.querySelector("#link").dataset.state === "ended");
  await page.until(() => document.querySelector("#reason").textContent.includes("shut down") || document.querySelector("#detail .sheet").hidden);
});

step("phone width: one pane at a time", async ({ page }) => {
  await page.resize({ width: 390, height: 844, isPhone: true });
  for (const tab of ["timeline", "runs", "cache", "detail", "keys"]) {
    await page.click(`#tabs [data-to="${tab}"]`);
    const shown = await page.run(() => [...document.querySelectorAll(".pane")].filter((one) => getComputedStyle(one).visibility === "visible").map((one) => one.id));
    assert.deepEqual(shown, [tab]);
    assert.ok(await page.run(() => document.documentElement.scrollWidth <= 390), `${tab} is not wider than the screen`);
    assert.deepEqual(await cut(page), [], `${tab} shows all of its controls`);
  }
  const unnamed = await page.run(() => [...document.querySelectorAll("button")].filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.innerText.trim() && !one.ariaLabel).map((one) => one.id));
  assert.deepEqual(unnamed, [], "buttons with an icon only have a name");
});

step("at 200 % nothing is cut", async ({ page }) => {
  await page.resize({ width: 640, height: 400, scale: 2 });
  for (const tab of ["timeline", "runs", "cache", "detail", "keys"]) {
    await page.click(`#tabs [data-to="${tab}"]`);
    assert.deepEqual(await cut(page), [], `${tab} shows all of its controls`);
    const room = await page.run((id) => document.getElementById({ keys: "rows", timeline: "lanes" }[id] ?? id).clientHeight, tab);
    assert.ok(room >= 90, `${tab} has ${room} pixels`);
  }
});

step("who wants no motion sees none, and both schemes have their colours", async ({ page }) => {
  const seen = async (scheme, still) => {
    await page.media({ scheme, still });
    await page.frame();
    return page.run(() => [getComputedStyle(document.body).backgroundColor, [...document.querySelectorAll("*")].filter((one) => getComputedStyle(one).animationName !== "none").length]);
  };
  const [light, dark] = [await seen("light", true), await seen("dark", true)];
  assert.notEqual(light[0], dark[0]);
  assert.deepEqual([light[1], dark[1]], [0, 0]);
});

/** Controls that are beyond the screen or a box that does not scroll to them. */
function cut(page) {
  return page.run(() => [...document.querySelectorAll("button, select, input, canvas, [tabindex]")].filter((one) => {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest(".hidden")) return false;
    const box = one.getBoundingClientRect();
    for (let parent = one.parentElement; parent; parent = parent.parentElement) {
      const style = getComputedStyle(parent);
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) return false;
      const around = parent.getBoundingClientRect();
      if (style.overflow === "hidden" && (box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1 || box.bottom > around.bottom + 1)) return true;
    }
    return box.left < 0 || box.top < 0 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  }).map((one) => one.id || one.outerHTML.slice(0, 80)));
}

// MARK: Run

const browser = await Browser.start();
if (!browser) {
  console.log("SKIPPED: Chromium is not installed");
  process.exit(77);
}
const begin = Date.now();
let app = null;
let failed = 0;
try {
  app = await start();
  const page = await browser.page();
  for (const { name, run } of steps) {
    // The first step attaches: all others need it.
    if (process.env.INSPECTOR_ONLY && name !== steps[0].name && !name.includes(process.env.INSPECTOR_ONLY)) continue;
    const at = Date.now();
    const notes = [];
    try {
      await page.front();
      const skipped = await run({ page, browser, app, log: (text) => notes.push(text) });
      assert.deepEqual(page.problems, [], "the page has no errors");
      console.log(skipped ? `SKIPPED ${name}: ${skipped}` : `ok ${name} (${Date.now() - at} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}: ${error.message}`);
      if (process.env.INSPECTOR_SHOT) await page.shot(`${process.env.INSPECTOR_SHOT}-${failed}.png`).catch(() => {});
      page.problems.splice(0);
      await page.run(() => document.querySelector("#editor").close()).catch(() => {});
    }
    for (const note of notes) console.log(`   ${note}`);
  }
} finally {
  await browser.close();
  await app?.kill?.();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${steps.length - failed} of ${steps.length} steps, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
process.exit(failed ? 1 : 0);

/** Logs in a browser: filtered, followed at the end alone, opened line by line; with lines that nobody should have written. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { pressTogether } from "../../by-keys.ts";
import { PageSystem } from "../../page-system.ts";

let system: PageSystem;
let browser: Browser;
let url: string;

beforeAll(async () => {
  [system, browser] = await Promise.all([PageSystem.start(), startBrowser()]);
  url = await system.url;
});
afterAll(async () => {
  await browser?.close();
  await system?.[Symbol.asyncDispose]();
});

/** Writes the log of a program that isn't running: its file is anybody's. */
const log = (...lines: string[]) =>
  appendFileSync(join(system.journal, ".run/logs/channel-telegram.log"), lines.map((line) => `${line}\n`).join(""));
const record = (level: number, msg: string, fields: object = {}) =>
  JSON.stringify({ level, time: Date.now(), name: "channel-telegram", msg, ...fields });
const row = (page: Page, text: string) => page.getByRole("list", { name: "Lines" }).getByRole("button", { name: text });

test("lines come as they are written, filters are part of the address, and a line tells all by its key", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gl");
  await row(page, "supervisor").first().waitFor();
  const run = await system.ask("What is due?");
  log(record(30, "a usual thing"), record(50, "the kettle is empty", { agent_id: run, where: { room: "kitchen" } }));
  await row(page, "the kettle is empty").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("kettle kitchen");
  await page.waitForURL(/text=kettle/);
  await row(page, "a usual thing").waitFor({ state: "detached" });
  expect(await page.locator("main mark").first().innerText()).toBe("kettle");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const detail = page.getByRole("complementary", { name: "Line" });
  await detail.getByText('"room": "kitchen"').waitFor();
  expect(await detail.getByRole("link", { name: "Its run" }).getAttribute("href")).toBe(`/runs/${run}`);
  await page.getByRole("searchbox").fill("");
  await page.getByRole("button", { name: "Errors" }).click();
  await page.waitForURL(/level=error/);
  await row(page, "supervisor").first().waitFor({ state: "detached" });
  await row(page, "the kettle is empty").waitFor();
  await page.getByRole("combobox", { name: "Program" }).selectOption("channel-telegram");
  await page.waitForURL(/program=channel-telegram/);
  await page.reload();
  await row(page, "the kettle is empty").waitFor();
  log(record(50, "and now it is full"), record(30, "which nobody needs to know"));
  await row(page, "and now it is full").waitFor();
  expect(await row(page, "which nobody needs to know").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("the end is followed only while it is in view", async () => {
  log(...Array.from({ length: 300 }, (_, index) => record(30, `line number ${index}`)));
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/logs?program=channel-telegram`);
  await row(page, "line number 299").waitFor();
  log(record(30, "one more"));
  await row(page, "one more").waitFor();
  await page.locator(".log-rows").evaluate((element) => element.scrollTo(0, 500));
  await row(page, "line number 20").waitFor();
  const read = page.locator(".log-row button").nth(20);
  const [words, place] = [await read.innerText(), await read.boundingBox()];
  log(record(30, "behind my back"), record(30, "and another"));
  await page.getByRole("button", { name: "2 new" }).waitFor();
  expect([await read.innerText(), await read.boundingBox()]).toEqual([words, place]);
  expect(await row(page, "behind my back").count()).toBe(0);
  await page.keyboard.press("e");
  await row(page, "and another").waitFor();
  await page.getByRole("button", { name: "2 new" }).waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("the web program is killed, and the lines go on behind those of before", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page } = tab;
  await page.goto(`${url}/logs?program=channel-telegram`);
  log(record(30, "before the break"));
  await row(page, "before the break").waitFor();
  // It may be back within a second.
  const cutOff = page.waitForFunction(() => document.querySelector("p.cut-off") !== null, undefined, { polling: 50 });
  system.kill("channel-web");
  await cutOff;
  log(record(30, "during the break"));
  await row(page, "during the break").waitFor();
  expect(await row(page, "before the break").count()).toBe(1);
  expect(await row(page, "during the break").count()).toBe(1);
});

const markup = `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1">`;

test("hostile lines run nothing and break no layout, colours are shown, and axe finds nothing, in every look", async () => {
  log(
    record(30, markup, { [markup]: markup }),
    "\u202Eback\u0001wards \u001b[31mred\u001b[0m \u001b[2J\u001b]0;title\u0007and plain",
    record(40, "W".repeat(1_000_000)),
    "x".repeat(1_000_000),
    record(50, "\u001b[1;31mcan't\u001b[0m go on", {
      deep: { deeper: Array.from({ length: 200 }, () => "\u0000\u2028") },
    }),
  );
  expect(readFileSync(join(system.journal, ".run/logs/channel-telegram.log")).length).toBeGreaterThan(2_000_000);
  for (const look of looks) {
    await using tab = await letIn(browser, await system.link(), look);
    const { page, complaints } = tab;
    await page.goto(`${url}/logs?program=channel-telegram`);
    await row(page, "can't go on").waitFor();
    expect(await page.getByText("⟨202E⟩back␁wards").count()).toBe(1);
    expect(await page.locator(".ansi-red").first().innerText()).toBe("red");
    await row(page, "can't go on").click();
    await page.getByRole("complementary", { name: "Line" }).getByText("deeper").waitFor();
    const hit = await page.evaluate(() => "hit" in globalThis);
    expect([look, hit, await overflow(page), await axeProblems(page)]).toEqual([look, false, 0, []]);
    await row(page, "WWWW").click();
    await page.getByText("It is longer.", { exact: false }).waitFor();
    expect([look, await overflow(page)]).toEqual([look, 0]);
    expect(complaints).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
  }
});

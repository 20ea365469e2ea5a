/** Settings in a browser: edited as a form and as text, checked, saved, never overwritten by chance; theme and keys of this browser. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { runCortex } from "../../../scripts/run-command.ts";
import { axeProblems, holdSave, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { pressTogether } from "../../by-keys.ts";
import { PageSystem } from "../../page-system.ts";

let system: PageSystem;
let browser: Browser;
let url: string;
let file: string;
let before: string;

beforeAll(async () => {
  [system, browser] = await Promise.all([PageSystem.start({ max_concurrent: 3 }), startBrowser()]);
  url = await system.url;
  file = join(system.journal, "cortex.json");
  before = readFileSync(file, "utf8");
});
afterAll(async () => {
  await browser?.close();
  await system?.[Symbol.asyncDispose]();
});
beforeEach(() => writeFileSync(file, before));

const settings = () => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
const most = (page: Page) => page.getByRole("textbox", { name: "Runs at once", exact: true });
const editor = (page: Page) => page.getByRole("textbox", { name: "cortex.json" });
const savedWords = (page: Page) => page.getByText("Nothing is changed.").waitFor();

/** Types instead of all of the text: deleted first, since Chromium would keep the look of what is typed over by a style of its own. */
async function write(page: Page, text: string): Promise<void> {
  // The plain field that stands there until the editor has come goes, and its selection with it.
  await page.locator(".code-editor > div:not([hidden])").waitFor();
  await editor(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

test("a setting is changed by keys alone, shown in the file's text, and saved", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "ge");
  await most(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("5");
  await page.getByText("was 3").waitFor();
  await page.locator(".raw-settings").getByText('"max_concurrent": 5').waitFor();
  await page.keyboard.press("Control+s");
  await savedWords(page);
  expect(settings()).toEqual({ ...(JSON.parse(before) as object), max_concurrent: 5 });
  expect(complaints).toEqual([]);
});

test("what the server would refuse is said at the field before it is saved, and text that is no JSON changes nothing", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/settings`);
  await most(page).fill("0");
  const field = page.locator(".schema-row", { has: most(page) });
  await field.getByRole("alert").filter({ hasText: "expected" }).waitFor();
  const save = page.locator("[data-save] button");
  expect(await save.isDisabled()).toBe(true);
  await most(page).fill("4");
  await field.getByRole("alert").waitFor({ state: "detached" });
  await write(page, '{ "max_concurrent": 7,');
  await page.getByRole("region", { name: "File" }).getByRole("alert").waitFor();
  expect([await most(page).inputValue(), await save.isDisabled()]).toEqual(["4", true]);
  await write(page, '{ "max_concurrent": 7 }');
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some(({ value }) => value === "7"));
  await page.reload();
  await most(page).waitFor();
  expect(await most(page).inputValue()).toBe("7");
  await save.click();
  await savedWords(page);
  expect(settings()).toEqual({ max_concurrent: 7 });
  expect(complaints).toEqual([]);
});

test("text that is no JSON is never left out of what a key right behind it saves", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  // The plain field, which stands there until the editor comes.
  await page.route(/make-editor/, (route) => route.abort());
  await page.goto(`${url}/settings`);
  const drawn = (text: string) =>
    editor(page).evaluate(async (field: HTMLTextAreaElement, typed) => {
      field.value = typed;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      // It is drawn before the browser does anything else.
      for (let step = 0; step < 50; step++) await new Promise<void>(queueMicrotask);
      return document.querySelector("[data-save] button:not(:disabled)") !== null;
    }, text);
  expect(await drawn('{ "max_concurrent": 6 }')).toBe(true);
  await page.locator("[data-save] button:not(:disabled)").waitFor();
  expect(await drawn('{ "max_concurrent": 6 }}')).toBe(false);
  expect(complaints).toEqual([]);
});

test("what somebody else has changed is shown, and one's own changes are kept until one decides", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/settings`);
  await most(page).fill("5");
  const other = join(system.journal, "other.json");
  writeFileSync(other, JSON.stringify({ ...(JSON.parse(before) as object), max_concurrent: 9, max_queued: 50 }));
  expect((await runCortex(system.journal, ["config", "put", other], system.env)).code).toBe(0);
  await page.keyboard.press("Control+s");
  const changed = page.getByRole("alert", { name: "Changed elsewhere" });
  await changed.getByText('"max_queued": 50').waitFor();
  expect(await axeProblems(page)).toEqual([]);
  expect([await most(page).inputValue(), settings()["max_concurrent"]]).toEqual(["5", 9]);
  await changed.getByRole("button", { name: "Take theirs" }).click();
  await changed.getByRole("button", { name: "Yes, drop mine" }).click();
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some(({ value }) => value === "9"));
  await most(page).fill("6");
  writeFileSync(file, before);
  await page.keyboard.press("Control+s");
  await changed.getByRole("button", { name: "Go on with mine" }).click();
  await page.keyboard.press("Control+s");
  await savedWords(page);
  expect(settings()).toMatchObject({ max_concurrent: 6, max_queued: 50 });
  expect(complaints).toEqual([]);
});

test("a setting that is changed while a save is on its way stays, and is unsaved", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/settings`);
  await most(page).fill("5");
  await page.getByText("1 change", { exact: true }).waitFor();
  const hold = await holdSave(page);
  await page.keyboard.press("Control+s");
  await hold.arrived;
  await most(page).fill("3");
  await hold.release();
  await page.getByText("was 5").waitFor();
  expect([await most(page).inputValue(), settings()["max_concurrent"]]).toEqual(["3", 5]);
  await page.getByRole("button", { name: /^Save/, disabled: false }).click();
  await savedWords(page);
  expect(settings()).toEqual(JSON.parse(before));
  expect(complaints).toEqual([]);
});

test("what is changed elsewhere is seen here at once, where nothing was changed", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/settings`);
  await most(page).waitFor();
  await editor(page).getByText('"max_concurrent": 3').waitFor();
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(before) as object), max_concurrent: 8 }, null, 2));
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some(({ value }) => value === "8"));
  await editor(page).getByText('"max_concurrent": 8').waitFor();
  expect(complaints).toEqual([]);
});

test("the theme and single-letter keys are set for this browser, over a reload", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page } = tab;
  await page.goto(`${url}/settings`);
  await page.getByRole("button", { name: "Dark" }).click();
  await page.getByRole("checkbox", { name: /Single letters/ }).uncheck();
  await page.reload();
  await page.locator('html[data-theme="dark"]').waitFor();
  const letters = page.getByRole("checkbox", { name: /Single letters/ });
  expect(await letters.isChecked()).toBe(false);
  await page.locator("h1").click();
  await pressTogether(page, "gn");
  expect(new URL(page.url()).pathname).toBe("/settings");
  await letters.check();
  await page.locator("h1").click();
  await pressTogether(page, "gn");
  await page.locator("h1", { hasText: "Now" }).waitFor();
});

const markup = `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1">\u202E${"W".repeat(3000)}`;

test("a file that can't be used, with hostile words, breaks nothing, and axe finds nothing, in every look", async () => {
  for (const look of looks) {
    await using tab = await letIn(browser, await system.link(), look);
    const { page, complaints } = tab;
    for (const text of [
      before,
      JSON.stringify({ [markup]: markup, backends: { [markup]: { command: [markup] } } }),
      "{ no",
    ]) {
      writeFileSync(file, text);
      await page.goto(`${url}/settings`);
      await editor(page).waitFor();
      const hit = await page.evaluate(() => "hit" in globalThis);
      expect([text.slice(0, 9), hit, await overflow(page), await axeProblems(page)]).toEqual([
        text.slice(0, 9),
        false,
        0,
        [],
      ]);
    }
    await page.getByText("The file can’t be used as it stands", { exact: false }).waitFor();
    expect(complaints).toEqual([]);
  }
});

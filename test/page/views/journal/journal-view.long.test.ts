/** The journal in a browser: days, facets and reports are read, a report leads to its run, and a search marks what it found. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
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

test("a day is found by keys alone, with its events and its notes as they read", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gj");
  await page.getByRole("list", { name: "days" }).getByRole("link").nth(5).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/journal\/20250118$/);
  await page.locator("h1", { hasText: "Saturday, 18 January 2025" }).waitFor();
  await page.getByRole("list", { name: "Events" }).getByText("Reading of the heater's meter").waitFor();
  await page.getByRole("region", { name: "20250118/notes.md" }).getByText("14.6 kWh", { exact: false }).waitFor();
  await page
    .getByRole("list", { name: "Events" })
    .getByRole("link", { name: /Garden/i })
    .first()
    .click();
  await page.waitForURL(/\/journal\/facets\/garden$/);
  await page
    .getByRole("region", { name: "facets/garden/news/20250119.md" })
    .getByText("above 4 °C", { exact: false })
    .waitFor();
  expect(complaints).toEqual([]);
});

test("what a run has saved stands among the reports, and leads to that run", async () => {
  const run = await system.ask("What did we decide about the greenhouse heater?", "--save", "heater.md");
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/journal?of=reports`);
  await page
    .getByRole("list", { name: "reports" })
    .getByRole("link", { name: /heater\.md/ })
    .click();
  await page.locator("h1", { hasText: "heater.md" }).waitFor();
  await page.locator(".md li", { hasText: "heater" }).first().waitFor();
  await page.getByRole("link", { name: `run …${run.slice(-7)}` }).click();
  await page.waitForURL(`${url}/runs/${run}`);
  // A passage of what it wrote leads to it as well.
  await page.goto(`${url}/journal?text=heater`);
  const passage = page.getByRole("list", { name: "Passages" }).getByRole("listitem").filter({ hasText: "heater.md" });
  await passage
    .first()
    .getByRole("link", { name: `run …${run.slice(-7)}` })
    .click();
  await page.waitForURL(`${url}/runs/${run}`);
  expect(complaints).toEqual([]);
});

test("what is written while one reads is seen without loading the page again", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/journal`);
  const days = page.getByRole("list", { name: "days" });
  await days.getByRole("link").first().waitFor();
  const notes = join(system.journal, "20290102/notes.md");
  mkdirSync(dirname(notes), { recursive: true });
  writeFileSync(notes, "The ice is thin.");
  await days.getByRole("link", { name: "Tuesday, 2 January 2029" }).click();
  await page.getByText("The ice is thin.").waitFor();
  writeFileSync(notes, "The ice has melted.");
  await page.getByText("The ice has melted.").waitFor();
  rmSync(dirname(notes), { recursive: true });
  await days.getByRole("link", { name: "Tuesday, 2 January 2029" }).waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("what was asked for of another section never comes under the one that is shown", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  const held = Promise.withResolvers<void>();
  await page.route(
    (address) => address.pathname === "/api/v1/journal/days",
    async (route) => {
      await held.promise;
      await route.continue();
    },
  );
  await page.goto(`${url}/journal`);
  await page.getByRole("group", { name: "Loading" }).waitFor();
  await page.getByRole("button", { name: "Facets" }).click();
  const facets = page.getByRole("list", { name: "facets" }).getByRole("link");
  await facets
    .filter({ hasText: /garden/i })
    .first()
    .waitFor();
  const before = await facets.allInnerTexts();
  const days = page.waitForResponse(/\/journal\/days/);
  held.resolve();
  await (await days).finished();
  // Another answer behind it: by then the page has taken that of the days.
  await page.evaluate("fetch('/api/v1/journal/facets').then((answer) => answer.json())");
  expect(await facets.allInnerTexts()).toEqual(before);
  expect(complaints).toEqual([]);
});

test("a list that couldn't be read is read when something changes", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page } = tab;
  const ofDays = (address: URL) => address.pathname === "/api/v1/journal/days";
  await page.route(ofDays, (route) => route.abort());
  await page.goto(`${url}/journal`);
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  await page.unroute(ofDays);
  const notes = join(system.journal, "20290103/notes.md");
  mkdirSync(dirname(notes), { recursive: true });
  writeFileSync(notes, "Thaw.");
  await page.getByRole("list", { name: "days" }).getByRole("link", { name: "Wednesday, 3 January 2029" }).waitFor();
  expect(await again.count()).toBe(0);
  rmSync(dirname(notes), { recursive: true });
});

test("a search marks its words, is part of the address, and leads to the file", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/journal`);
  await page.getByRole("searchbox").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("lemon tree");
  await page.keyboard.press("Enter");
  await page.waitForURL(/text=lemon/);
  const passages = page.getByRole("list", { name: "Passages" });
  await passages.locator("mark").first().waitFor();
  expect((await passages.locator("mark").allInnerTexts()).every((word) => /^(lemon|tree)/i.test(word))).toBe(true);
  await page.reload();
  await passages.getByRole("link").first().click();
  await page.waitForURL(/\/journal\/files\//);
  await page.locator(".shown-body", { hasText: /lemon/i }).waitFor();
  await page.goto(`${url}/journal?text=nosuchwordanywhere`);
  await page.getByText("Nothing in the journal says that.", { exact: false }).waitFor();
  expect(complaints).toEqual([]);
});

const markup = `<script>globalThis.hit=1</script>\n\n<img src=x onerror="globalThis.hit=1">\n\n[x](javascript:globalThis.hit=1) \u202Eback\u0001 ${"W".repeat(3000)}`;

test("hostile notes run nothing and break no layout, and axe finds nothing, in every look", async () => {
  mkdirSync(join(system.journal, "20250203"), { recursive: true });
  writeFileSync(join(system.journal, "20250203/notes.md"), `# Hostile\n\n${markup}\n`);
  writeFileSync(join(system.journal, "20250203/long.txt"), `${"x".repeat(900_000)}\n${markup}\n`);
  for (const look of looks) {
    await using tab = await letIn(browser, await system.link(), look);
    const { page, complaints } = tab;
    for (const [path, text] of [
      ["/journal", "Monday, 3 February 2025"],
      ["/journal/20250203", "Hostile"],
      ["/journal/20250118", "14.6 kWh"],
      ["/journal/facets/garden", "To do"],
      ["/journal/files/20250203/notes.md", "Hostile"],
      ["/journal?text=lemon", "lemon"],
    ] as const) {
      await page.goto(`${url}${path}`);
      await page.getByText(text).locator("visible=true").first().waitFor();
      const hit = await page.evaluate(() => "hit" in globalThis);
      expect([path, hit, await overflow(page), await axeProblems(page)]).toEqual([path, false, 0, []]);
    }
    expect(complaints).toEqual([]);
  }
});

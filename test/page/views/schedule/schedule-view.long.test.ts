/** The schedule in a browser, on a real system: made in words, run, paused, looked through by month and facet. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { openBus } from "../../../../bus/connection/connect.ts";
import { ScheduleLedger } from "../../../../bus/schedule/schedule-ledger.ts";
import { addressAs, readBusAccess } from "../../../../journal/access/endpoints.ts";
import { axeProblems, holdSave, looks, overflow, takeAsked } from "../../browser.ts";
import { given, press, reach } from "../../by-keys.ts";
import { hostileTexts, ViewSystem } from "../../view-system.ts";

let system: ViewSystem;

beforeAll(async () => {
  system = await ViewSystem.start({ schedules: { "facet-newsletter": true } }, (journal) => {
    mkdirSync(join(journal, "personas"));
    const [markup, signs, wide] = hostileTexts;
    const hostile = { title: `${markup}${signs}${wide}`, schedule: "30 18 * * 1" };
    writeFileSync(join(journal, "personas/hostile.txt"), "You say nothing.\n");
    writeFileSync(join(journal, "personas/hostile.json"), JSON.stringify(hostile));
    writeFileSync(join(journal, "personas/broken-off.txt"), "You say nothing.\n");
    const broken = { title: "Broken off", schedule: "0 3 1 1 *", backend: "nothing-of-this-name" };
    writeFileSync(join(journal, "personas/broken-off.json"), JSON.stringify(broken));
    writeFileSync(join(journal, "personas/pausing.txt"), "You say nothing.\n");
    writeFileSync(join(journal, "personas/choosy.txt"), "You say nothing.\n");
    const off = (new Date().getUTCHours() + 12) % 24;
    writeFileSync(
      join(journal, "personas/choosy.json"),
      JSON.stringify({ schedule: `0 ${off} * * *`, missed: "skip" }),
    );
    writeFileSync(join(journal, "personas/pausing.json"), JSON.stringify({ schedule: `0 ${off} * * 1-5` }));
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

test("by keys alone a schedule is made in words: what it means is shown, then it is in the list and in the persona", async () => {
  await using tab = await system.open("/schedule");
  const { page, complaints } = tab;
  await row(page, "Pausing").waitFor();
  await page.keyboard.press("+");
  await page.keyboard.type("whenever you like");
  await page.getByText("isn't understood", { exact: false }).waitFor();
  expect(await page.getByRole("button", { name: "Add it" }).isDisabled()).toBe(true);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("every weekday at 7");
  await page.getByText("0 7 * * 1-5", { exact: true }).waitFor();
  await page.getByText("Every weekday at 07:00").first().waitFor();
  await page.getByText("Choose who runs.").waitFor();
  await reach(page, page.getByRole("combobox", { name: "Who runs" }), { by: "Shift+Tab", most: 2 });
  await page.keyboard.type("Reviewer");
  await reach(page, page.getByRole("button", { name: "Add it", disabled: false }), { most: 3 });
  await press(page, "Enter");
  await row(page, "Reviewer").getByText("every weekday at 07:00").waitFor();
  const settings = JSON.parse(readFileSync(join(system.journal.path, "personas/reviewer.json"), "utf8")) as object;
  expect(settings).toMatchObject({ schedule: "0 7 * * 1-5" });
  expect(complaints).toEqual([]);
});

test("other words are never added with the meaning of those before them", async () => {
  await using tab = await system.open("/schedule");
  const { page, complaints } = tab;
  await page.getByRole("combobox", { name: "Who runs" }).selectOption({ label: "Reviewer" });
  const words = page.getByRole("textbox", { name: "When, in words" });
  await words.fill("every weekday at 8");
  await page.locator(".make .btns button:not(:disabled)").first().waitFor();
  const isOn = await words.evaluate(async (field: HTMLInputElement) => {
    field.value = "every weekday at 8 or 9";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    // It is drawn before the browser does anything else.
    for (let step = 0; step < 50; step++) await new Promise<void>(queueMicrotask);
    return document.querySelector(".make .btns button:not(.quiet):not(:disabled)") !== null;
  });
  expect(isOn).toBe(false);
  expect(complaints).toEqual([]);
});

test("words that are typed while a schedule is being saved stay", async () => {
  await using tab = await system.open("/schedule");
  const { page, complaints } = tab;
  await row(page, "Pausing").waitFor();
  const { arrived, release } = await holdSave(page);
  const words = page.getByRole("textbox", { name: "When, in words" });
  await words.fill("every day at 8");
  await page.getByRole("combobox", { name: "Who runs" }).selectOption("reviewer");
  await page.getByRole("button", { name: /^(Add|Change) it$/ }).click();
  await arrived;
  await words.fill("every day at 9");
  await release();
  await page.getByText("Choose who runs.").waitFor();
  expect(await words.inputValue()).toBe("every day at 9");
  expect(complaints).toEqual([]);
});

test("a schedule is paused and goes on, by the keyboard alone", async () => {
  await using tab = await system.open("/schedule");
  const { page, complaints } = tab;
  await reach(page, row(page, "Pausing").getByRole("link", { name: "Pausing", exact: true }), { by: "j" });
  await press(page, "p");
  await row(page, "Pausing").getByText("paused").waitFor();
  const listed = await system.call<{ items: { persona: string; on: boolean }[] }>("GET", "/schedules");
  expect(listed.items.find(({ persona }) => persona === "pausing")?.on).toBe(false);
  // Until all is read again, the button is busy.
  await row(page, "Pausing").locator('button[aria-keyshortcuts="P"][aria-busy="false"]').waitFor();
  await press(page, "p");
  await row(page, "Pausing").getByRole("img", { name: "Never ran", exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test("by keys alone the runs of a day are done for each active facet, and each leads to its run", async () => {
  await system.call("POST", "/schedules/facet-newsletter/runs", { day: "20250115" });
  await using tab = await system.open("/schedule");
  const { page, complaints } = tab;
  const newsletter = row(page, "Facet newsletter");
  await newsletter.getByRole("img", { name: "Done", exact: true }).waitFor();
  await reach(page, newsletter.getByRole("button", { name: "Facets of Facet newsletter" }), { by: "j" });
  await press(page, "Enter");
  const facet = page.locator("tr.kid").first();
  const again = facet.getByRole("button", { name: /^Run again/ });
  const before = await facet.getByRole("link").getAttribute("href");
  await reach(page, again);
  await press(page, "Enter");
  await expect.poll(() => facet.getByRole("link").getAttribute("href")).not.toBe(before);
  await reach(page, facet.getByRole("link"), { by: "Shift+Tab", most: 3 });
  await press(page, "Enter");
  await page.waitForURL(/\/runs\/\d{13}$/);
  expect(complaints).toEqual([]);
});

test("by keys alone a scheduled run is started now, what failed says why, and what was done is done again only when that is asked for", async () => {
  await using tab = await system.open("/schedule");
  const { page, complaints } = tab;
  const broken = row(page, "Broken off");
  await reach(page, broken.getByRole("link", { name: "Broken off", exact: true }), { by: "j" });
  await press(page, "r");
  await broken.getByRole("img", { name: "Failed", exact: true }).waitFor();
  await broken.getByRole("link", { name: /nothing-of-this-name/ }).waitFor();
  await expect(system.call("POST", "/schedules/pausing/runs", {})).resolves.toMatchObject({ persona: "pausing" });
  const pausing = row(page, "Pausing");
  await pausing.getByRole("img", { name: "Done", exact: true }).waitFor();
  await reach(page, pausing.getByRole("button", { name: "Run now: Pausing" }));
  await press(page, "Enter");
  await pausing.getByRole("alert").waitFor();
  const before = await pausing.locator(".last a").getAttribute("href");
  await given(page, pausing.getByRole("button", { name: "Run again: Pausing" }));
  await press(page, "Enter");
  await expect.poll(() => pausing.locator(".last a").getAttribute("href")).not.toBe(before);
  expect(complaints).toEqual([]);
});

test("a run that was due while nothing ran is told as missed, with the reason", async () => {
  const access = readBusAccess(system.journal.path);
  if (!access) throw new Error("no bus");
  await using bus = await openBus(addressAs(access, "schedule"), "schedule");
  const ledger = await ScheduleLedger.open(bus);
  const { value: cursor, revision } = await ledger.cursor("choosy");
  const hours = 3_600_000;
  const since = Date.now() - 50 * hours;
  if (!cursor) throw new Error("the schedule hasn't seen it");
  await using tab = await system.open("/schedule");
  const { page, complaints } = tab;
  await row(page, "Choosy").waitFor();
  // As if the machine had been off since then.
  expect(await ledger.setCursor("choosy", { ...cursor, since, until: since }, revision)).toBe(true);
  system.journal.kill("schedule");
  const missed = page.getByRole("region", { name: "Missed" });
  await missed.getByText(/^Choosy: missed by \d+ h; its missed occurrences are skipped; with it 1 more/).waitFor();
  expect(complaints).toEqual([]);
});

test("another month is one press away, and stands in the address", async () => {
  await using tab = await system.open("/schedule?month=209901");
  const { page, complaints } = tab;
  await page.getByText("January 2099").waitFor();
  await row(page, "Broken off").getByRole("img", { name: "January 2099: to come on the 1" }).waitFor();
  const after = page.getByRole("button", { name: "The month after" });
  await after.click();
  await page.getByText("February 2099").waitFor();
  await page.waitForURL(/month=209902/);
  // Two presses go two months, although the first one is still on its way.
  const held = Promise.withResolvers<void>();
  await takeAsked(page, "**/api/v1/schedule/month?*", async (route) => {
    await held.promise;
    await route.continue();
  });
  await after.click();
  await after.click();
  await page.waitForURL(/month=209904/);
  held.resolve();
  await page.getByText("April 2099").waitFor();
  expect(complaints).toEqual([]);
});

test.each(looks)(
  "hostile words run nothing and break no layout, and axe finds nothing, at $width in $colorScheme",
  async (look) => {
    await using tab = await system.open("/schedule", look);
    const { page, complaints } = tab;
    await page.locator("tr[data-row]").first().waitFor();
    await page.getByRole("textbox", { name: "When, in words" }).fill(hostileTexts.join(" ").slice(0, 900));
    await page.locator(".make .field.wrong").waitFor();
    const hit = await page.evaluate(() => "hit" in globalThis);
    expect([hit, await overflow(page), await axeProblems(page)]).toEqual([false, 0, []]);
    expect(complaints).toEqual([]);
  },
);

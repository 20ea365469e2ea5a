/** Hostile words in every field of runs, on Now, Runs, each run's page, its prompt, and two runs beside each other, in every look: nothing runs, nothing is hidden, no layout breaks. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { axeProblems, looks, overflow } from "../browser.ts";
import { hiddenSigns } from "../hostile/hidden-signs.ts";
import { writeHostileRuns } from "./hostile-runs.ts";
import { ViewSystem } from "../view-system.ts";

let system: ViewSystem;
let ids: string[];
beforeAll(async () => {
  system = await ViewSystem.start({}, (journal) => {
    ids = writeHostileRuns(journal);
  });
});
afterAll(() => system?.[Symbol.asyncDispose]());

const shownText = (page: Page) => page.evaluate<string>("document.title + document.body.innerText");

/** Whether something ran, how much is wider than the window, what axe says, headings, and signs that should be visible. */
async function harm(page: Page) {
  return {
    hit: await page.evaluate("'hit' in globalThis"),
    overflow: await overflow(page),
    axe: await axeProblems(page),
    headings: await page.locator("h1").count(),
    hidden: hiddenSigns.test(await shownText(page)),
  };
}

const none = { hit: false, overflow: 0, axe: [], headings: 1, hidden: false };

test.each(looks)("hostile runs harm neither Now nor the list of all runs, at $width in $colorScheme", async (look) => {
  await using tab = await system.open("/", look);
  const { page, complaints } = tab;
  const failed = page.getByRole("region", { name: /^Failed/ }).locator("li.row");
  const done = page.getByRole("region", { name: /^Done today/ }).locator("li.row");
  await failed.filter({ hasText: "⟨202E⟩back␁wards" }).waitFor();
  await failed.filter({ hasText: "megabyte" }).waitFor();
  for (const row of [failed.first(), done.first()]) {
    await row.getByRole("button", { expanded: false }).click();
    await row.getByRole("button", { expanded: true }).waitFor();
  }
  expect(await harm(page)).toEqual(none);
  await page.goto(`${system.url}/runs`);
  const lines = page.getByRole("list", { name: "Runs" }).getByRole("link");
  await lines.filter({ hasText: "⟨202E⟩back␁wards" }).waitFor();
  expect(await harm(page)).toEqual(none);
  await page.goto(`${system.url}/runs?text=megabyte&schedule=%E2%80%AEegnahc`);
  await page.getByText("Schedule: ⟨202E⟩egnahc").waitFor();
  expect(await harm(page)).toEqual(none);
  expect(complaints).toEqual([]);
});

test.each(looks)(
  "hostile words harm no run's page, whichever step is chosen, at $width in $colorScheme",
  async (look) => {
    await using tab = await system.open("/runs", look);
    const { page, complaints } = tab;
    for (const id of ids) {
      await page.goto(`${system.url}/runs/${id}`);
      const rows = page.getByRole("region", { name: "Events" }).locator("button.ev-in");
      await rows.nth(5).waitFor();
      if (look.width === 390) await page.getByRole("button", { name: /(?:earlier|later) steps?$/ }).click();
      // They come line by line.
      await rows.nth(8).waitFor();
      const count = await rows.count();
      for (let at = 0; at < count; at++) {
        await rows.nth(at).click();
        const hidden = hiddenSigns.test(await shownText(page));
        expect([id, at, await overflow(page), hidden]).toEqual([id, at, 0, false]);
      }
      expect({ id, ...(await harm(page)) }).toEqual({ id, ...none });
    }
    expect(complaints).toEqual([]);
  },
);

test.each(looks)(
  "hostile words harm neither two runs beside each other nor the prompt as it was sent, at $width in $colorScheme",
  async (look) => {
    await using tab = await system.open("/runs", look);
    const { page, complaints } = tab;
    for (const [at, id] of ids.entries()) {
      const other = ids[(at + 1) % ids.length] ?? "";
      await page.goto(`${system.url}/runs/compare/${id}/${other}`);
      await page.getByRole("region", { name: "Step 1", exact: true }).waitFor();
      for (const step of [2, 3, 4, 5]) {
        await page.keyboard.press("j");
        await page.getByRole("region", { name: `Step ${step}`, exact: true }).waitFor();
      }
      expect({ id, ...(await harm(page)) }).toEqual({ id, ...none });
      // A phone shows a step alone.
      if (look.width === 390) continue;
      await page.goto(`${system.url}/runs/${id}`);
      await page.getByRole("button", { name: "Prompt as sent" }).click();
      await page.getByRole("heading", { name: "Prompt", exact: true }).waitFor();
      expect({ id, ...(await harm(page)) }).toEqual({ id, ...none });
    }
    expect(complaints).toEqual([]);
  },
);

/** The first messages sent to a run's model, as the page tells them, by keys alone. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { axeProblems, letIn, overflow, startBrowser } from "../../browser.ts";
import { PageSystem } from "../../page-system.ts";

let browser: Browser;
let system: PageSystem;
beforeAll(async () => {
  [browser, system] = await Promise.all([startBrowser(), PageSystem.start()]);
});
afterAll(async () => {
  await browser.close();
  await system[Symbol.asyncDispose]();
});

test("instructions, what was said before, and the prompt are a tab away", async () => {
  const first = await system.ask("What did we decide about the greenhouse heater?");
  const id = await system.ask("And what does it cost to run?", "--continue", first);
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${await system.url}/runs/${id}`);
  await page.getByRole("button", { name: "Prompt as sent" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Instructions" }).waitFor();
  await page.getByText(/^Now: .*\(UTC\)\./).waitFor();
  await page.getByRole("heading", { name: /messages before it$/ }).waitFor();
  const said = page.locator("summary").filter({ hasText: "What did we decide" });
  await said.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("group", { name: "Message 1" }).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await axeProblems(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

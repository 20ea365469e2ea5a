/** A shared run in a browser, as somebody else opens it: nothing runs, nothing is asked for, and it reads well everywhere. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { runState } from "../../../../journal/runs/run-files.ts";
import { shareRun } from "../../../../web/machine/share/share-run.ts";
import { fixtureAgents, CortexSystem } from "../../../support/cortex-system.ts";
import { hostileTexts } from "../../../web/machine/share/shared-material.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { PageSystem } from "../../page-system.ts";

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), "cortex-shared-"));
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page of a run of which each step, and its prompt, holds hostile text. */
async function hostilePage(): Promise<string> {
  await using system = await CortexSystem.start({ settings: fixtureAgents("scripted") });
  const steps = hostileTexts.flatMap((text, index) => [
    { ev: { event: "text", text } },
    { ev: { event: "thinking", summary: text } },
    { ev: { event: "tool_end", call_id: `c${index}`, tool: text, args: { [text]: text }, result: text } },
  ]);
  const prompt = JSON.stringify([...steps, { ev: { event: "finish", result: hostileTexts.join("\n") } }]);
  const id = system.request({ prompt });
  await system.until(() => runState(system.journal, id) === "ended", "it has ended");
  const { html } = await shareRun({ journal: system.journal, settings: () => ({}), timeZone: "UTC" }, id);
  const path = join(folder, "hostile.html");
  writeFileSync(path, html);
  return pathToFileURL(path).href;
}

test("of hostile text nothing runs and nothing is loaded, in light and dark, on a phone and on paper", async () => {
  const address = await hostilePage();
  for (const look of looks) {
    await using tab = await letIn(browser, "about:blank", look);
    const { page, complaints } = tab;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    await page.goto(address);
    expect(asked).toEqual([address]);
    expect(await page.title()).not.toBe("taken");
    expect(await page.locator("script, iframe, img, svg, link, base, form, a, object").count()).toBe(0);
    expect(await overflow(page)).toBe(0);
    await page.emulateMedia({ media: "print", colorScheme: look.colorScheme });
    expect(await overflow(page)).toBe(0);
    await page.emulateMedia({ media: "screen", colorScheme: look.colorScheme });
    expect(await axeProblems(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }
});

test("a run is shared from its head, and opens by itself", async () => {
  await using system = await PageSystem.start();
  const id = await system.ask("What did we decide about the greenhouse heater?");
  const path = join(folder, "shared.html");
  {
    await using tab = await letIn(browser, await system.link());
    const { page, complaints } = tab;
    await page.goto(`${await system.url}/runs/${id}`);
    await page.getByRole("button", { name: /^More:/ }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /Share as one file/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`run-${id}.html`);
    await download.saveAs(path);
    expect(complaints).toEqual([]);
  }
  expect(readFileSync(path, "utf8")).not.toContain(system.journal);
  for (const look of looks) {
    await using tab = await letIn(browser, pathToFileURL(path).href, look);
    const { page } = tab;
    await page.getByRole("heading", { name: "What did we decide about the greenhouse heater?" }).waitFor();
    await page.getByText("search_journal").first().waitFor();
    if (process.env["SHOTS"]) {
      const file = join(process.env["SHOTS"], `share-${look.width}-${look.colorScheme}.png`);
      await page.screenshot({ path: file, fullPage: true });
    }
    expect(await overflow(page)).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
  }
});

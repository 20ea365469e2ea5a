/** Runs in a browser, against a real system on the example journal: asked for, spoken to, stopped, looked through, found, compared. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { fixtureAgent } from "../../../support/cortex-system.ts";
import { patienceMs } from "../../../support/patience.ts";
import { UpJournal } from "../../../supervisor/up-process.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { linkOf } from "../../page-program.ts";

const example = fileURLToPath(new URL("../../../../examples/journal", import.meta.url));
const question = "What did we decide about the greenhouse heater?";

let journal: UpJournal;
let browser: Browser;
let url: string;
let token: string;

beforeAll(async () => {
  journal = new UpJournal();
  cpSync(example, journal.path, { recursive: true });
  journal.configure({
    default_backend: "offline",
    backends: { counter: fixtureAgent("counter") },
    channels: { web: { enabled: true } },
  });
  const up = journal.start();
  [browser] = await Promise.all([startBrowser(), up.isUp()]);
  url = readEndpoints(journal.path)?.web_url ?? "";
  token = readFileSync(join(journal.path, ".run/web-token"), "utf8").trim();
});
afterAll(async () => {
  await browser?.close();
  await journal?.[Symbol.asyncDispose]();
});

const link = () => linkOf(url, token);

/** Asks for a run, as a program would; returns its id. */
async function ask(body: Record<string, unknown>): Promise<string> {
  const response = await fetch(`${url}/api/v1/runs`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
}

/** A run that has ended. */
async function done(prompt: string): Promise<string> {
  const id = await ask({ prompt });
  await journal.until(() => journal.hasEnded(id), `${id} has ended`);
  return id;
}

const rows = (page: Page) => page.getByRole("region", { name: "Events" }).getByRole("listitem");

test("a run at work shows what it does, hears what is said to it, and is stopped by its key", async () => {
  const births = join(journal.path, "births");
  const id = await ask({ backend: "counter", prompt: JSON.stringify({ file: births, everyMs: 50 }) });
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/runs/${id}`);
  await page.getByText("Working", { exact: true }).waitFor();
  await rows(page).nth(1).waitFor();
  await page.keyboard.press("s");
  await page.getByRole("textbox", { name: /Say something to/ }).fill("only this year, please");
  await page.keyboard.press("Enter");
  await rows(page).filter({ hasText: "only this year, please" }).first().waitFor();
  // The run has it before its sender is told so: until then the field has the keys.
  await page.getByRole("textbox", { name: /Say something to/ }).waitFor({ state: "detached" });
  await page.keyboard.press("x");
  await page.getByText("Stopped", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: /Run again/ }).waitFor();
  expect(complaints).toEqual([]);
});

test("each step is walked by keys and shown in full, with its raw line; steps are filtered by kind and text", async () => {
  const id = await done(question);
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/runs/${id}`);
  await page.locator("h1", { hasText: question }).waitFor();
  const detail = page.getByRole("complementary", { name: "Step" });
  await detail.getByText("From the journal").waitFor();
  await rows(page)
    .filter({ hasText: /search_journal .*lines/ })
    .getByRole("button")
    .click();
  await detail.getByRole("row", { name: /query/ }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await detail.getByRole("row", { name: /tokens/ }).waitFor();
  await detail.getByRole("button", { name: "Raw line" }).click();
  await detail.getByText('"event":"usage"').waitFor();
  await page.getByRole("button", { name: /^Tools/ }).click();
  await rows(page).filter({ hasText: "Asked" }).waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await page.keyboard.type("no such words");
  await page.getByText("No step fits.").waitFor();
  expect(complaints).toEqual([]);
});

test("runs are found by words that become part of the address, and two of them are compared", async () => {
  await done(question);
  await done("What is due on Tuesday?");
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/runs`);
  const list = page.getByRole("list", { name: "Runs" });
  await list.getByRole("link", { name: /due on Tuesday/ }).waitFor();
  const boxes = list.getByRole("checkbox");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  const compared = page.getByRole("region", { name: "Compare two runs" });
  await compared.getByText("Another text", { exact: false }).waitFor();
  await compared.getByText(/The first difference is step 1/).waitFor();
  await compared.getByRole("link", { name: "Side by side" }).press("Enter");
  await page.waitForURL(/\/runs\/compare\/\d{13}\/\d{13}$/);
  const detail = page.getByRole("region", { name: "Step 1", exact: true });
  await detail.getByText(question).waitFor();
  await detail.getByText("What is due on Tuesday?").waitFor();
  await page.keyboard.press("j");
  await page.getByRole("region", { name: "Step 2", exact: true }).waitFor();
  await page.keyboard.press("f");
  await detail.waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.goBack();
  await list.getByRole("link", { name: /due on Tuesday/ }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("tuesday");
  await page.waitForURL(/text=tuesday/);
  await list.locator("mark", { hasText: "Tuesday" }).first().waitFor();
  expect(await list.locator("mark").first().innerText()).toBe("Tuesday");
  await page.reload();
  await list.getByRole("link", { name: /due on Tuesday/ }).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("tuesday");
  expect(complaints).toEqual([]);
});

/** The texts that a person, a file or a model may write anywhere. */
const hostile = [
  `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1">`,
  "\u202Eback\u0001wards\u001b[31m and \u0007 signs",
  `javascript:globalThis.hit=1 ${"W".repeat(3000)}`,
];

test.each(looks)(
  "hostile words run nothing and break no layout, and axe finds nothing, at $width in $colorScheme",
  async (look) => {
    const ids = await Promise.all(hostile.map((prompt) => done(prompt)));
    await using tab = await letIn(browser, await link(), look);
    const { page, complaints } = tab;
    for (const path of ["/runs", ...ids.map((id) => `/runs/${id}`)]) {
      await page.goto(`${url}${path}`);
      await page
        .locator(path === "/runs" ? ".run-line" : ".ev")
        .first()
        .waitFor({ timeout: patienceMs });
      const hit = await page.evaluate(() => "hit" in globalThis);
      expect([path, hit, await overflow(page), await axeProblems(page)]).toEqual([path, false, 0, []]);
    }
    expect(complaints).toEqual([]);
  },
);

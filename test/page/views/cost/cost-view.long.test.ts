/** Costs in a browser: the plot, the table and `cortex cost` say the same, numbers lead to their runs, and limits say how near they are. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { runCortexJson } from "../../../scripts/run-command.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { pressTogether } from "../../by-keys.ts";
import { PageSystem } from "../../page-system.ts";

const dayMs = 24 * 3_600_000;
const markup = `<script>globalThis.hit=1</script>\u202E${"W".repeat(300)}`;

let system: PageSystem;
let browser: Browser;
let url: string;
let count = 0;

beforeAll(async () => {
  const budgets = { daily: { max_cost_usd: 3 }, personas: { "gauge-check": { daily: { max_cost_usd: 0.8 } } } };
  [system, browser] = await Promise.all([PageSystem.start({ budgets }), startBrowser()]);
  url = await system.url;
  // The gauge's share of a day is known: the others' isn't regular.
  for (let ago = 0; ago < 20; ago++) {
    ran(ago, "gauge-check", "claude-sonnet-4-5", 0.7);
    ran(ago, "daily-digest", "gpt-5", 0.1 * (ago % 4));
    if (ago % 3 === 0) ran(ago, "reviewer", "gpt-5", 1.25);
  }
  ran(1, markup.slice(0, 60), markup, 0.01);
});
afterAll(async () => {
  await browser?.close();
  await system?.[Symbol.asyncDispose]();
});

/** A run of some days ago, as its file tells it. */
function ran(daysAgo: number, persona: string, model: string, cost_usd: number): void {
  // A minute past midnight of that day, UTC: never to come.
  const at = Math.floor(Date.now() / dayMs) * dayMs - daysAgo * dayMs + count++;
  const agent_id = String(at);
  const events = [
    { event: "request", prompt: "Look.", persona },
    { event: "start", persona, backend: "openai", model, prompt: "Look.", attempt: 1 },
    {
      event: "usage",
      model,
      cost_usd,
      input_tokens: 1000,
      output_tokens: 100,
      cached_input_tokens: 0,
      reasoning_tokens: 0,
    },
    { event: "finish", result: "Done." },
  ];
  const folder = join(system.journal, "runs", new Date(at).toISOString().slice(0, 10).replaceAll("-", ""));
  mkdirSync(folder, { recursive: true });
  const lines = events.map((event, index) => JSON.stringify({ ...event, ts: at, agent_id, seq: index + 1 }));
  writeFileSync(join(folder, `${agent_id}.jsonl`), `${lines.join("\n")}\n`);
}

type Report = { rows: { name: string; runs: number; known_cost_usd: number }[]; total: { known_cost_usd: number } };

const dayKey = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10).replaceAll("-", "");
const reportOf = async (...args: string[]) => {
  const { document } = await runCortexJson(
    system.journal,
    ["cost", "--from", dayKey(14), "--to", dayKey(0), ...args],
    system.env,
  );
  return document as unknown as Report;
};
const money = (usd: number) => `$${usd.toFixed(2)}`;
const rows = (page: Page) => page.locator(".cost-table tbody tr");

test("the table and the plot say what the command says, and a row's part of each day is shown", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gm");
  const { rows: told, total } = await reportOf("--by", "persona");
  await rows(page)
    .nth(told.length - 1)
    .waitFor();
  const shown = await rows(page).evaluateAll((all) =>
    all.map((row) => [row.querySelector(".num")?.textContent, row.querySelector(".num.strong")?.textContent]),
  );
  expect(shown).toEqual(told.map(({ runs, known_cost_usd }) => [String(runs), money(known_cost_usd)]));
  expect(await page.locator(".cost-table tfoot .num").last().innerText()).toBe(money(total.known_cost_usd));
  await page.locator(".cost-table").getByRole("button", { name: "Gauge check" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/of=gauge-check/);
  const { rows: days } = await reportOf("--by", "day");
  const columns = page.getByRole("region", { name: "Cost of each day" }).getByRole("link");
  await columns
    .filter({ hasNot: page.locator("nothing") })
    .nth(14)
    .waitFor();
  const labels = await columns.evaluateAll((all) => all.map((link) => link.getAttribute("aria-label") ?? ""));
  expect(labels.map((label) => /: (\S+), of it Gauge check (\S+)$/.exec(label)?.slice(1))).toEqual(
    days.map(({ known_cost_usd }) => [money(known_cost_usd), "$0.70"]),
  );
  await page.getByRole("button", { name: "Day", exact: true }).click();
  await page.waitForURL(/by=day/);
  await rows(page).nth(14).waitFor();
  const byDay = await page.locator(".cost-table tbody .num.strong").allInnerTexts();
  expect(byDay).toEqual(days.toReversed().map(({ known_cost_usd }) => money(known_cost_usd)));
  expect(complaints).toEqual([]);
});

test("a number leads to its runs, and an earlier fortnight is one press away", async () => {
  await using tab = await letIn(browser, await system.link());
  const { page, complaints } = tab;
  await page.goto(`${url}/cost?by=model`);
  const row = rows(page).filter({ hasText: "claude-sonnet-4-5" });
  await row.getByRole("link", { name: "15", exact: true }).click();
  await page.waitForURL(/\/runs\?model=claude-sonnet-4-5/);
  await page.locator(".head .sum", { hasText: /^15$/ }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Earlier" }).click();
  await page.waitForURL(new RegExp(`to=${dayKey(15)}`));
  await row.getByRole("link", { name: "5", exact: true }).waitFor();
  await page.getByRole("button", { name: "Later" }).click();
  await row.getByRole("link", { name: "15", exact: true }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  const { rows: told } = await reportOf("--by", "model");
  const lines = readFileSync((await download.path()) ?? "", "utf8")
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(told.length + 1);
  expect(lines.some((line) => line.startsWith("claude-sonnet-4-5,15,0,15,15000,"))).toBe(true);
  expect(complaints).toEqual([]);
});

test.each(looks)("limits say how near they are, and axe finds nothing, at $width in $colorScheme", async (look) => {
  await using tab = await letIn(browser, await system.link(), look);
  const { page, complaints } = tab;
  for (const path of ["/cost", "/cost?by=model&of=gpt-5", "/cost?by=day", "/cost?by=agent"]) {
    await page.goto(`${url}${path}`);
    await rows(page).first().waitFor();
    const hit = await page.evaluate(() => "hit" in globalThis);
    expect([path, hit, await overflow(page), await axeProblems(page)]).toEqual([path, false, 0, []]);
  }
  const limits = page.getByRole("region", { name: "Limits of a day" }).getByRole("listitem");
  expect(await limits.allInnerTexts()).toEqual([
    expect.stringMatching(/Gauge check\s+\$0\.70 of \$0\.80\s+87 %/),
    expect.stringMatching(/All runs\s+\$1\.95 of \$3\.00/),
  ]);
  expect(complaints).toEqual([]);
});

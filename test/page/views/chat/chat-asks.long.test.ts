/** Calls that ask in a conversation, in a browser: whoever decides sees all that is decided, and what was decided. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { readSettings } from "../../../../journal/config/settings.ts";
import { AgentsSystem } from "../../../agents/agents-system.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { linkOf } from "../../page-program.ts";
import { GatedModel, type Piece } from "./gated-model.ts";

let system: AgentsSystem;
let model: GatedModel;
let browser: Browser;
let url: string;

const beds = Array.from({ length: 60 }, (_, bed) => `Bed ${bed + 1}: beans`).join("\n");

function think({ last, results }: { last: string; results: unknown[] }): Piece[] {
  if (results.length > 0) return [{ say: "It is done." }];
  if (last.includes("publish"))
    return [{ call: "bash", args: { command: "echo ci && echo publish", timeout_seconds: 7 } }];
  if (last.includes("beds")) return [{ call: "memory_write", args: { path: "beds.md", content: beds } }];
  return [{ say: "Good morning." }];
}

const asks = ["bash", "memory_write"].map((tool) => ({ tool, decide: "ask" }));

beforeAll(async () => {
  model = new GatedModel(think);
  const address = await model.listen();
  [system, browser] = await Promise.all([
    AgentsSystem.start(
      { channels: { web: { enabled: true } }, permissions: asks, agents: { join_window_ms: 0 }, sandbox: "off" },
      { "personas/main.json": JSON.stringify({ text_is_reply: true, tools: "voice, memory, exec" }) },
      { ANTHROPIC_BASE_URL: address, CORTEX_TZ: "UTC" },
    ),
    startBrowser(),
  ]);
  url = await system.until(() => readEndpoints(system.journal)?.web_url, "the page's address");
});
afterAll(async () => {
  await browser?.close();
  await model?.[Symbol.asyncDispose]();
  await system?.[Symbol.asyncDispose]();
});

const link = () => linkOf(url, readFileSync(join(system.journal, ".run/web-token"), "utf8").trim());
const log = (page: Page) => page.getByRole("region", { name: /What was said/ });

async function say(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: /Message to/ });
  await field.fill(text);
  await field.press("Enter");
  await expect.poll(() => field.inputValue()).toBe("");
}

test("always shows each rule that it keeps before it keeps them, and says afterwards what was decided", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/chat`);
  await say(page, "Please publish");
  const question = log(page).getByRole("group", { name: "May I run this command?" });
  const rules = question.getByRole("list", { name: "What is allowed from then on" });
  await rules.waitFor();
  expect(await rules.getByRole("listitem").allInnerTexts()).toEqual(["bash echo ci", "bash echo publish"]);
  const whole = JSON.parse(await question.getByRole("group", { name: "All of it" }).innerText()) as object;
  expect(whole).toEqual({ command: "echo ci && echo publish", timeout_seconds: 7 });
  expect([await axeProblems(page), readSettings(system.journal).permissions]).toEqual([[], asks]);
  await question.getByRole("button", { name: "Always for all 2" }).click();
  await question.getByText(/^Allowed from now on by you/).waitFor();
  expect(readSettings(system.journal).permissions).toEqual([
    ...["echo ci", "echo publish"].map((match) => ({ tool: "bash", match, decide: "allow" })),
    ...asks,
  ]);
  await log(page).getByText("It is done.").waitFor();
  expect(complaints).toEqual([]);
});

test.each(looks)(
  "all lines of a long change can be seen before it is allowed, at $width in $colorScheme",
  async (look) => {
    await using tab = await letIn(browser, await link(), look);
    const { page, complaints } = tab;
    await page.goto(`${url}/chat/${await system.agentOf({ type: "cli", channelId: "main" })}`);
    await say(page, "Write the beds");
    const question = log(page).getByRole("group", { name: "May I use memory_write?" }).last();
    await question.getByText("Bed 1: beans").waitFor();
    expect(await question.getByText("Bed 60: beans").count()).toBe(0);
    await question.getByRole("button", { name: "20 more lines" }).click();
    await question.getByText("Bed 60: beans").waitFor();
    expect([await overflow(page), await axeProblems(page)]).toEqual([0, []]);
    await question.getByRole("button", { name: /^Deny/ }).click();
    await question.getByText(/^Denied by you/).waitFor();
    expect(complaints).toEqual([]);
  },
);

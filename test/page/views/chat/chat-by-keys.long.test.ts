/** A conversation by the keyboard alone: nothing is clicked, and nothing has the focus but by a key. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { AgentsSystem } from "../../../agents/agents-system.ts";
import { letIn, startBrowser } from "../../browser.ts";
import { given, press, pressTogether, reach } from "../../by-keys.ts";
import { linkOf } from "../../page-program.ts";
import { GatedModel, type Piece } from "./gated-model.ts";

let system: AgentsSystem;
let model: GatedModel;
let browser: Browser;
let url: string;

const look: Piece = { call: "current_time", args: {} };

/** `slowly GATE`: a call comes after the gate, and then others until something is heard. `add a todo`: a call that asks. */
function think({ last, results }: { last: string; results: { tool: string }[] }): Piece[] {
  if (results[0]?.tool === "current_time" && last === "") return [look];
  if (results.length > 0) return [{ say: `I used ${results[0]?.tool}. Heard: ${last.split("\n").at(-1)}` }];
  const [, gate] = /slowly (\w+)/.exec(last) ?? [];
  if (gate !== undefined) return [{ say: "Let me look." }, { hold: gate }, look];
  if (last.includes("add a todo")) return [{ call: "todo_add", args: { facet: "garden", text: "Water the peas" } }];
  return [{ say: `You said: ${last.split("\n").at(-1)}` }];
}

beforeAll(async () => {
  model = new GatedModel(think);
  const address = await model.listen();
  [system, browser] = await Promise.all([
    AgentsSystem.start(
      {
        channels: { web: { enabled: true } },
        permissions: [{ tool: "todo_add", decide: "ask" }],
        agents: { join_window_ms: 0 },
        // Its model looks again and again until it hears something.
        loop_limit: 1000,
      },
      {
        "personas/main.json": JSON.stringify({ text_is_reply: true, tools: "voice, todo", identity: { name: "Wren" } }),
        "facets/garden/facet.json": JSON.stringify({ title: "Garden", description: "The garden" }),
      },
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
const field = (page: Page) => page.getByRole("textbox", { name: /Message to/ });

/** Writes where the focus is, and sends it. */
async function say(page: Page, text: string, key = "Enter"): Promise<void> {
  await given(page, field(page));
  await page.keyboard.type(text);
  await press(page, key);
  await expect.poll(() => field(page).inputValue()).toBe("");
}

test("by keys alone one begins a conversation and sees the answer; the field keeps the focus, and S leads back to it", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gc");
  await field(page).waitFor();
  await reach(page, field(page));
  await say(page, "Good morning");
  await log(page).getByText("You said: Good morning").waitFor();
  // Now it is a conversation of its own, with a field of its own.
  await press(page, "s");
  await given(page, field(page));
  await page.keyboard.type("And the lamp?");
  await reach(page, page.getByRole("button", { name: /^Send/ }), { most: 3 });
  await press(page, "Enter");
  await log(page).getByText("You said: And the lamp?").waitFor();
  await given(page, field(page));
  // Esc stops a turn that is at work, else it leaves the field.
  await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
  await press(page, "Escape");
  await press(page, "s");
  await say(page, "Thank you");
  await log(page).getByText("You said: Thank you").waitFor();
  expect(complaints).toEqual([]);
});

test("by keys alone a turn is steered: one message is said now, one is taken back, and Esc stops it", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/chat`);
  await field(page).waitFor();
  await press(page, "s");
  await say(page, "Look slowly first");
  await model.held("first");
  await log(page).locator(".live").waitFor();
  await say(page, "The second thing");
  await say(page, "The third thing");
  const waiting = (text: string) => log(page).locator(".queued").filter({ hasText: text });
  const takeBack = waiting("The third thing").getByRole("button", { name: "Take back" });
  await reach(page, takeBack, { by: "Shift+Tab" });
  await press(page, "Enter");
  await waiting("The third thing").waitFor({ state: "detached" });
  await given(page, log(page));
  await expect.poll(() => field(page).inputValue()).toBe("The third thing");
  const sayNow = waiting("The second thing").getByRole("button", { name: "Say it now" });
  await reach(page, sayNow);
  await press(page, "Enter");
  await sayNow.waitFor({ state: "detached" });
  const run = system.state(await system.agentOf({ type: "cli", channelId: "main" })).turn?.run_id ?? "";
  await system.until(() => system.up.file(run).some(({ event }) => event === "input"), "the run hears it");
  model.release("first");
  await log(page)
    .getByText(/Heard: The second thing/)
    .waitFor();
  await log(page).locator(".live").waitFor({ state: "detached" });
  await press(page, "s");
  await press(page, "Control+A");
  await say(page, "Look slowly second");
  await model.held("second");
  await page.getByRole("button", { name: /^Stop/ }).waitFor();
  await press(page, "Escape");
  await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
  model.release("second");
  await given(page, field(page));
  expect(complaints).toEqual([]);
});

test("by keys alone a call that asks is allowed where it was asked, and then runs", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/chat`);
  await field(page).waitFor();
  await press(page, "s");
  await say(page, "Please add a todo");
  const question = log(page).getByRole("group", { name: "May I use todo_add?" });
  await question.getByText("Water the peas").first().waitFor();
  // Esc would stop the turn that asks.
  await reach(page, question.getByRole("button", { name: /^Deny/ }), { by: "Shift+Tab", most: 6 });
  await reach(page, question.getByRole("button", { name: /^Allow once/ }), { most: 1 });
  await press(page, "Enter");
  await question.getByText(/Allowed once by you/).waitFor();
  await given(page, question);
  await log(page)
    .getByText(/^I used .*todo_add/)
    .waitFor();
  expect(complaints).toEqual([]);
});

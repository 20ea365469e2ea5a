/** A conversation on a phone: written, sent and answered by the finger, with what waits in sight, and decisions far apart. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Locator, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { AgentsSystem } from "../../../agents/agents-system.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { linkOf } from "../../page-program.ts";
import { GatedModel, type Piece } from "./gated-model.ts";

/** The least height of what a finger presses, and the least distance of the two answers to a question, in px. */
const [leastHeight, leastApart] = [44, 48];

let system: AgentsSystem;
let model: GatedModel;
let browser: Browser;
let url: string;
/** The main agent. */
let agent: string;

const look: Piece = { call: "current_time", args: {} };

/** `slowly GATE`: a call comes after the gate, and then others until something is heard. `add a todo`: a call that asks. */
function think({ last, results }: { last: string; results: { tool: string; isError: boolean }[] }): Piece[] {
  const [result] = results;
  if (result?.tool === "current_time" && last === "") return [look];
  if (result) return [{ say: `I ${result.isError ? "didn't use" : "used"} it. Heard: ${last.split("\n").at(-1)}` }];
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
        agents: { join_window_ms: 0, titles: false },
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
  const said = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token()}`, "Content-Type": "application/json" },
    body: JSON.stringify({ text: "Good morning" }),
  });
  expect(said.ok).toBe(true);
  const ended = await system.until(() => system.news.find(({ event }) => event === "turn_ended"), "an answer");
  agent = ended.agent_id;
});
afterAll(async () => {
  await browser?.close();
  await model?.[Symbol.asyncDispose]();
  await system?.[Symbol.asyncDispose]();
});

const token = () => readFileSync(join(system.journal, ".run/web-token"), "utf8").trim();
const log = (page: Page) => page.getByRole("region", { name: /What was said/ });
const field = (page: Page) => page.getByRole("textbox", { name: /Message to/ });
const button = (place: Page | Locator, name: string | RegExp) => place.getByRole("button", { name });

/** The conversation with Wren, reached from the list. */
async function openTalk(look: (typeof looks)[number]) {
  const tab = await letIn(browser, await linkOf(url, token()), look);
  const { page } = tab;
  await page.getByRole("navigation").getByRole("link", { name: "Chat" }).tap();
  await page.getByRole("complementary", { name: "Conversations" }).getByRole("link", { name: /Wren/ }).tap();
  await field(page).waitFor();
  await page.getByRole("heading", { level: 1, name: "Wren" }).waitFor();
  return tab;
}

async function say(page: Page, text: string): Promise<void> {
  await field(page).tap();
  await page.keyboard.insertText(text);
  await button(page, /^Send/).tap();
  await expect.poll(() => field(page).inputValue()).toBe("");
}

async function boxOf(target: Locator) {
  const box = await target.boundingBox();
  if (box === null) throw new Error(`${String(target)} isn't shown`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

const checked = async (page: Page) => [await overflow(page), await axeProblems(page)];

const phones = looks.filter(({ width }) => width < 640);

test.each(phones)("one writes, sends and sees the answer, above the tabs, in $colorScheme", async (look) => {
  await using tab = await openTalk(look);
  const { page, complaints } = tab;
  const text = `Is the lamp on in ${look.colorScheme}?`;
  await say(page, text);
  const answer = log(page).getByText(`You said: ${text}`);
  await answer.waitFor();
  await button(page, /^Stop/).waitFor({ state: "detached" });
  const [said, compose, send] = [
    await boxOf(answer),
    await boxOf(page.getByRole("form", { name: /Write to/ })),
    await boxOf(button(page, /^Send/)),
  ];
  const tabs = await boxOf(page.getByRole("navigation"));
  expect(said.bottom).toBeLessThanOrEqual(compose.y);
  expect(compose.bottom).toBeLessThanOrEqual(tabs.y);
  expect(tabs.bottom).toBeLessThanOrEqual(look.height);
  expect(send.height).toBeGreaterThanOrEqual(leastHeight);
  // Smaller text is made larger by the phone as soon as one writes.
  const size = await field(page).evaluate((node) => Number.parseFloat(getComputedStyle(node).fontSize));
  expect(size).toBeGreaterThanOrEqual(16);
  expect(await checked(page)).toEqual([0, []]);
  await page.getByRole("link", { name: "Back to all" }).tap();
  await page.getByRole("complementary", { name: "Conversations" }).getByText(`You said: ${text}`).waitFor();
  expect(complaints).toEqual([]);
});

test.each(phones)(
  "what waits is seen with its choices: one is said now, one is taken back, in $colorScheme",
  async (look) => {
    await using tab = await openTalk(look);
    const { page, complaints } = tab;
    const gate = `phone${look.colorScheme}`;
    await say(page, `Look slowly ${gate}`);
    await model.held(gate);
    await log(page).locator(".live").waitFor();
    const [second, third] = [`The second thing in ${look.colorScheme}`, `The third thing in ${look.colorScheme}`];
    await say(page, second);
    await say(page, third);
    const waiting = (text: string) => log(page).locator(".queued").filter({ hasText: text });
    await waiting(second).getByText("Waits until Wren has finished").waitFor();
    const choices = [waiting(second), waiting(third)].flatMap((one) => [
      button(one, "Say it now"),
      button(one, "Take back"),
    ]);
    for (const choice of choices) {
      await choice.scrollIntoViewIfNeeded();
      const { x, right, height } = await boxOf(choice);
      expect([x >= 0, right <= look.width, height >= leastHeight]).toEqual([true, true, true]);
    }
    expect(await checked(page)).toEqual([0, []]);
    await button(waiting(third), "Take back").tap();
    await waiting(third).waitFor({ state: "detached" });
    await expect.poll(() => field(page).inputValue()).toBe(third);
    await button(waiting(second), "Say it now").tap();
    await button(waiting(second), "Say it now").waitFor({ state: "detached" });
    const run = system.state(agent).turn?.run_id ?? "";
    await system.until(() => system.up.file(run).some(({ event }) => event === "input"), "the run hears it");
    model.release(gate);
    await log(page).getByText(`Heard: ${second}`).waitFor();
    await log(page).locator(".queued").waitFor({ state: "detached" });
    expect(await field(page).inputValue()).toBe(third);
    expect(complaints).toEqual([]);
  },
);

test.each(phones)("Deny and Allow once stand far apart, and each does what it says, in $colorScheme", async (look) => {
  await using tab = await openTalk(look);
  const { page, complaints } = tab;
  const answers = { Deny: ["Denied by you", "I didn't use it."], "Allow once": ["Allowed once by you", "I used it."] };
  for (const [name, [decided = "", then = ""]] of Object.entries(answers)) {
    const before = await log(page).getByText(then).count();
    await say(page, `Please add a todo, ${name}`);
    const question = log(page).getByRole("group", { name: "May I use todo_add?" }).last();
    const [deny, allow] = [button(question, /^Deny/), button(question, /^Allow once/)];
    await deny.waitFor();
    await allow.scrollIntoViewIfNeeded();
    const [left, right] = [await boxOf(deny), await boxOf(allow)];
    const apart = Math.max(right.x - left.right, right.y - left.bottom, left.y - right.bottom);
    expect(apart).toBeGreaterThanOrEqual(leastApart);
    expect(Math.min(left.height, right.height)).toBeGreaterThanOrEqual(leastHeight);
    expect([left.x >= 0, right.right <= look.width]).toEqual([true, true]);
    expect(await checked(page)).toEqual([0, []]);
    await button(question, name === "Deny" ? /^Deny/ : /^Allow once/).tap();
    await question.getByText(new RegExp(`^${decided}`)).waitFor();
    await log(page).getByText(then).nth(before).waitFor();
    await button(page, /^Stop/).waitFor({ state: "detached" });
  }
  expect(complaints).toEqual([]);
});

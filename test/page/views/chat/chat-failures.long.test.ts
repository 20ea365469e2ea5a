/** Turns that failed, in a conversation in a browser: why, where they ended, and asked again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { AgentsSystem } from "../../../agents/agents-system.ts";
import type { Reply } from "../../../support/providers/played.ts";
import { axeProblems, letIn, looks, overflow, startBrowser } from "../../browser.ts";
import { given, press, reach } from "../../by-keys.ts";
import { linkOf } from "../../page-program.ts";

let system: AgentsSystem;
let browser: Browser;
let url: string;
/** The main agent. */
let agent: string;

/** The answer of the model from now on. */
let answer: () => Reply;

const refused = (message: string): Reply => ({
  status: 400,
  body: { type: "error", error: { type: "invalid_request_error", message } },
});
const says = (text: string): Reply => ({ turn: { text } });

beforeAll(async () => {
  [system, browser] = await Promise.all([
    AgentsSystem.start(
      { channels: { web: { enabled: true } }, agents: { join_window_ms: 0, titles: false } },
      { "personas/main.json": JSON.stringify({ text_is_reply: true, tools: "voice", identity: { name: "Wren" } }) },
      { CORTEX_TZ: "UTC" },
    ),
    startBrowser(),
  ]);
  answer = () => says("Good morning.");
  system.think("", () => answer());
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
  await system?.[Symbol.asyncDispose]();
});

const token = () => readFileSync(join(system.journal, ".run/web-token"), "utf8").trim();
const link = () => linkOf(url, token());
const log = (page: Page) => page.getByRole("region", { name: /What was said/ });
const field = (page: Page) => page.getByRole("textbox", { name: /Message to/ });
const failures = (page: Page) => log(page).getByRole("group", { name: "Wren didn’t answer" });
const again = (page: Page) => failures(page).getByRole("button", { name: "Ask again" });

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
  await expect.poll(() => field(page).inputValue()).toBe("");
}

test("a turn that failed says why where it ended, over a reload as well, and is asked again by keys alone, with its file", async () => {
  answer = () => refused("The model has no such option");
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/chat/${agent}`);
  await field(page).waitFor();
  await say(page, "Good evening");
  await again(page).waitFor();
  await page.locator('input[type="file"]').setInputFiles({
    name: "seeds.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("peas, beans"),
  });
  await page.locator(".compose .chip", { hasText: "11 bytes" }).waitFor();
  await say(page, "Which seeds are these?");
  const failed = failures(page).nth(1);
  await failed.getByText("The model's service didn't answer").waitFor();
  await failed.getByText("The model has no such option").waitFor();
  await again(page).nth(1).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.reload();
  await again(page).nth(1).waitFor();
  expect(await failures(page).count()).toBe(2);
  const said = log(page).locator(".msg.me").filter({ hasText: "Which seeds are these?" });
  // It stands behind what was said.
  const place = await said.evaluate((node) => node.nextElementSibling?.getAttribute("aria-label"));
  expect(place).toBe("Wren didn’t answer");
  answer = () => says("They are peas and beans.");
  await press(page, "s");
  await given(page, field(page));
  await press(page, "Escape");
  await reach(page, failed, { by: "j" });
  await press(page, "r");
  await log(page).getByText("They are peas and beans.").waitFor();
  await given(page, failed);
  await failed.getByText("asked again since").waitFor();
  expect([await said.count(), await said.getByRole("link", { name: "seeds.txt" }).count()]).toEqual([2, 2]);
  expect(await again(page).count()).toBe(0);
  const to = (await failed.getByRole("link", { name: "its run" }).getAttribute("href")) ?? "";
  await reach(page, failed.getByRole("link", { name: "its run" }), { most: 2 });
  await press(page, "Enter");
  await page.waitForURL(`**${to}`);
  await page.getByText("The model has no such option").first().waitFor();
  expect(complaints).toEqual([]);
});

test("a turn that failed isn't asked again while another one is at work, nor after that has answered", async () => {
  answer = () => refused("Not now");
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.goto(`${url}/chat/${agent}`);
  await field(page).waitFor();
  await say(page, "What about the lamp?");
  await again(page).waitFor();
  const [asked, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  answer = () => {
    asked.resolve();
    return { turn: { text: "The lamp is by the door, as it always was." }, rest: rest.promise };
  };
  await say(page, "And the socket?");
  await asked.promise;
  await page.getByRole("button", { name: /^Stop/ }).waitFor();
  expect(await again(page).count()).toBe(0);
  await say(page, "Thank you");
  answer = () => says("You are welcome.");
  rest.resolve();
  await log(page).getByText("You are welcome.").waitFor();
  await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
  await log(page).locator(".queued").waitFor({ state: "detached" });
  expect(await again(page).count()).toBe(0);
  await page.reload();
  await log(page).getByText("You are welcome.").waitFor();
  await failures(page).last().getByText("Not now").waitFor();
  expect(await again(page).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test.each(looks)(
  "hostile words of an error run nothing and break no layout, and axe finds nothing, at $width in $colorScheme",
  async (look) => {
    answer = () => refused(`<img src=x onerror="globalThis.hit=1"> \u202Eback\u0007 ${"W".repeat(3000)}`);
    await using tab = await letIn(browser, await link(), look);
    const { page, complaints } = tab;
    await page.goto(`${url}/chat/${agent}`);
    await field(page).waitFor();
    const text = `What is it at ${look.width} in ${look.colorScheme}?`;
    await say(page, text);
    await log(page).locator(`.msg.me:has-text("${text}") + .failed-turn`).getByRole("button").waitFor();
    expect([await overflow(page), await axeProblems(page)]).toEqual([0, []]);
    expect(await page.evaluate<unknown>("globalThis.hit")).toBeUndefined();
    expect(complaints).toEqual([]);
  },
);

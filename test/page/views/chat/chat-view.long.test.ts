/** Conversations with long-lived agents in a browser, on a whole system with a played model: streaming, waiting, taken back, decided. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import { ChatLink } from "../../../../scripts/chat/link.ts";
import { AgentsSystem } from "../../../agents/agents-system.ts";
import { axeProblems, letIn, looks, overflow, startBrowser, takeAsked } from "../../browser.ts";
import { given, press, pressTogether, reach } from "../../by-keys.ts";
import { GatedModel, type Piece } from "./gated-model.ts";
import { linkOf } from "../../page-program.ts";

let system: AgentsSystem;
let model: GatedModel;
let browser: Browser;
let url: string;
const pictures = process.env["CORTEX_PICTURES"];

const look: Piece = { call: "current_time", args: {} };

/**
 * `slowly GATE`: the answer stands still in its middle, and with `the time` calls come after it until something is heard.
 * `add a todo`, `send off`: a call. `many`: a long answer, which `slowly GATE` stands still before its last line.
 */
function think({ last, results }: { last: string; results: { tool: string; text: string }[] }): Piece[] {
  if (results[0]?.tool === "current_time" && last === "") return [look];
  if (results.length > 0)
    return [{ say: `It says: ${results[0]?.text.slice(0, 40)}. Heard: ${last.split("\n").at(-1)}` }];
  const [, gate] = /slowly (\w+)/.exec(last) ?? [];
  if (gate !== undefined && last.includes("many"))
    return [{ hold: `begin ${gate}` }, { say: `${manyLines}\n` }, { hold: gate }, { say: "- and the last one" }];
  if (gate !== undefined)
    return [
      { hold: `begin ${gate}` },
      { say: "Henrik answered on **Sunday**: there is a socket" },
      { hold: gate },
      { say: " by the *lamp*." },
      ...(last.includes("the time") ? [look] : []),
    ];
  if (last.includes("send off"))
    return [{ call: "spawn_subagent", args: { description: "Look at the lamp", input: "Tell me slowly errand" } }];
  if (last.includes("add a todo")) return [{ call: "todo_add", args: { facet: "garden", text: "Water the peas" } }];
  if (last.includes("hostile")) return [{ say: hostile }];
  if (last.includes("many")) return [{ say: manyLines }];
  return [{ say: `You said: ${last.split("\n").at(-1)}` }];
}

const hostile = `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1"> ![x](https://example.org/x.png) [y](javascript:globalThis.hit=1) \u202Eback\u0007

| a | ${"b".repeat(400)} |
| - | - |
| <b>c</b> | d |

7. begins at seven

\`\`\`ts
const a: string = "</pre><script>globalThis.hit=1</script>"; // ${"x".repeat(500)}
\`\`\`

${"W".repeat(1_000_000)}`;

const manyLines = Array.from({ length: 60 }, (_, line) => `- line ${line}`).join("\n");

const oddName = `<b onclick="globalThis.hit=1">Odd</b>\u202E ${"N".repeat(60)}`;

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
        "personas/odd.txt": "You are odd.",
        "personas/odd.json": JSON.stringify({ text_is_reply: true, identity: { name: oddName } }),
        "personas/main.json": JSON.stringify({
          text_is_reply: true,
          tools: "voice, tasks, todo",
          identity: { name: "Wren" },
        }),
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
const field = (page: Page) => page.getByRole("textbox", { name: /Message to/ });
const log = (page: Page) => page.getByRole("region", { name: /What was said/ });

/** @param key Enter sends; Alt+Enter says it now */
async function say(page: Page, text: string, key = "Enter"): Promise<void> {
  await field(page).fill(text);
  await field(page).press(key);
  // It is on its way: until then nothing else can be sent.
  await expect.poll(() => field(page).inputValue()).toBe("");
}

/** The page listens to an answer before its first word: pieces of it are told once. */
async function begins(page: Page, gate: string): Promise<void> {
  await model.held(`begin ${gate}`);
  await log(page).locator(".live").getByText("asked the model").waitFor();
  model.release(`begin ${gate}`);
  await model.held(gate);
}

test("the first thing that is said makes the main agent, which answers; its answer streams in, and Esc stops it", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await page.locator("h1").waitFor();
  await pressTogether(page, "gc");
  await page.getByText("Say something to your main agent").waitFor();
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await takeAsked(page, "**/v1/messages", async (route) => {
    arrived.resolve();
    await released.promise;
    await route.continue();
  });
  await field(page).fill("Good morning");
  await field(page).press("Enter");
  await arrived.promise;
  await field(page).fill("Tell me what is");
  released.resolve();
  await log(page).getByText("You said: Good morning").waitFor();
  // What was typed behind the first message is the draft of the conversation that it has begun.
  expect(await field(page).inputValue()).toBe("Tell me what is");
  await say(page, "Tell me slowly first");
  await begins(page, "first");
  await log(page).locator("strong", { hasText: "Sunday" }).waitFor();
  await page.getByRole("button", { name: /^Stop/ }).waitFor();
  await say(page, "And this waits");
  await log(page).getByText("Waits until Wren has finished").waitFor();
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, "chat-live.png") });
  expect(await axeProblems(page)).toEqual([]);
  model.release("first");
  await log(page).getByText("there is a socket by the lamp.").waitFor();
  await log(page).getByText("You said: And this waits").waitFor();
  await say(page, "Tell me slowly second");
  await begins(page, "second");
  await log(page).locator("strong", { hasText: "Sunday" }).nth(1).waitFor();
  await field(page).press("Escape");
  await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
  model.release("second");
  expect(complaints).toEqual([]);
});

test("what an agent has done today is answered in its row of Now, by keys alone", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  const done = page.getByRole("region", { name: /^Done today/ }).locator("li.row");
  const turn = done.filter({ hasText: "You said: Good morning" });
  // Once the page knows whose turn it was.
  await turn.getByRole("button", { name: "Say" }).waitFor();
  await reach(page, turn, { by: "j" });
  await press(page, "s");
  await given(page, turn.getByRole("textbox", { name: "Say something to Wren" }));
  await page.keyboard.type("Thank you");
  await press(page, "Enter");
  await expect.poll(() => turn.getByRole("textbox").inputValue()).toBe("");
  await press(page, "Escape");
  await done.filter({ hasText: "You said: Thank you" }).waitFor();
  expect(complaints).toEqual([]);
});

/** The agent that the owner speaks to. */
const mainAgent = () => system.agentOf({ type: "cli", channelId: "main" });

/** Opens a conversation by its address. */
async function openTalk(page: Page, agent: string): Promise<void> {
  await page.goto(`${url}/chat/${agent}`);
  await field(page).waitFor();
}

/** Another agent, to whom this was said. */
async function tellOdd(text: string): Promise<string> {
  const [owner, channel] = [await system.as("owner"), await system.as("channel-cli")];
  const link = await ChatLink.open({ journal: system.journal, owner, channel, persona: "odd" });
  const turns = system.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === link.agentId).length;
  await link.sendText(text);
  await system.turns(link.agentId, turns + 1);
  return link.agentId;
}

test("what is said with Alt Enter is heard by the turn that goes on, and answered in it", async () => {
  const agent = await mainAgent();
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await openTalk(page, agent);
  await say(page, "Tell me slowly third, with the time");
  await begins(page, "third");
  await say(page, "Look outside too", "Alt+Enter");
  const run = system.state(agent).turn?.run_id ?? "";
  await system.until(() => system.up.file(run).some(({ event }) => event === "input"), "the run hears it");
  await log(page).getByText("Look outside too", { exact: true }).waitFor();
  const choices = log(page).getByRole("button", { name: /Say it now|Take back/ });
  await choices.waitFor({ state: "detached" });
  model.release("third");
  await log(page)
    .getByText(/Heard: Look outside too/)
    .waitFor();
  await log(page).locator(".queued").waitFor({ state: "detached" });
  await expect.poll(() => log(page).getByText("Look outside too", { exact: true }).count()).toBe(1);
  // What is seen while it is said is kept a moment later.
  const answers = () =>
    system.history(agent).flatMap((one) => ("run_id" in one && one.type === "assistant" ? [one] : []));
  await expect
    .poll(() => answers().at(-1))
    .toMatchObject({ run_id: run, text: expect.stringContaining("Look outside too") });
  expect(complaints).toEqual([]);
});

test("what waits is seen in its order: one is said now, one is taken back and is a draft again", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await openTalk(page, await mainAgent());
  await say(page, "Tell me slowly fourth, with the time");
  await begins(page, "fourth");
  await say(page, "The second thing");
  await say(page, "The third thing");
  await say(page, "The fourth thing");
  const waiting = log(page).locator(".queued");
  const of = (text: string) => waiting.filter({ hasText: text });
  await expect
    .poll(() => waiting.locator(".said").allInnerTexts())
    .toEqual(["The second thing", "The third thing", "The fourth thing"]);
  await field(page).fill("And a draft");
  await of("The third thing").getByRole("button", { name: "Take back" }).click();
  await of("The third thing").waitFor({ state: "detached" });
  await expect.poll(() => field(page).inputValue()).toBe("The third thing\nAnd a draft");
  await of("The second thing").getByRole("button", { name: "Say it now" }).click();
  // Its turn may have heard it at once: then it waits no more.
  await of("The second thing").getByRole("button", { name: "Say it now" }).waitFor({ state: "detached" });
  expect(await axeProblems(page)).toEqual([]);
  const run = system.state(await mainAgent()).turn?.run_id ?? "";
  await system.until(() => system.up.file(run).some(({ event }) => event === "input"), "the run hears it");
  model.release("fourth");
  await log(page)
    .getByText(/Heard: The second thing/)
    .waitFor();
  await log(page).getByText("You said: The fourth thing").waitFor();
  await waiting.first().waitFor({ state: "detached" });
  expect(model.asked.some(({ said }) => said.join("\n").includes("The third thing"))).toBe(false);
  expect(complaints).toEqual([]);
});

test("each conversation keeps its draft and the line that one reads, over others and over a reload", async () => {
  const other = await tellOdd("Tell me many things");
  const agent = await mainAgent();
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await openTalk(page, agent);
  await say(page, "Tell me many things");
  await log(page).getByText("line 59").last().waitFor();
  // An answer that becomes whole behind one's back is counted.
  await log(page).locator(".live").waitFor({ state: "detached" });
  await field(page).fill("To Wren");
  const list = page.getByRole("complementary", { name: "Conversations" });
  const goTo = async (id: string) => {
    await list.locator(`a[href="/chat/${id}"]`).click();
    await list.locator(`a[href="/chat/${id}"][aria-current="page"]`).waitFor();
    await log(page).getByText("line 59").last().waitFor();
  };
  /** Goes to a line, and returns how far it is below the upper edge then. */
  const read = async (line: string) => {
    await log(page)
      .getByText(line, { exact: true })
      .last()
      .evaluate((node) => node.scrollIntoView({ block: "start" }));
    await page.getByRole("button", { name: "To the end" }).waitFor();
    return placeOf(page, line);
  };
  const places: Record<string, number> = { [agent]: await read("line 12") };
  await goTo(other);
  await field(page).fill("To the odd one");
  places[other] = await read("line 21");
  await goTo(agent);
  expect(await field(page).inputValue()).toBe("To Wren");
  await expect.poll(() => placeOf(page, "line 12")).toBe(places[agent]);
  await goTo(other);
  expect(await field(page).inputValue()).toBe("To the odd one");
  await expect.poll(() => placeOf(page, "line 21")).toBe(places[other]);
  await page.reload();
  await log(page).getByText("line 59").last().waitFor();
  expect(await field(page).inputValue()).toBe("To the odd one");
  await expect.poll(() => placeOf(page, "line 21")).toBe(places[other]);
  // What comes meanwhile doesn't move what one reads, and is counted.
  await tellOdd("Something new");
  await page.getByRole("button", { name: "2 new" }).waitFor();
  expect(await placeOf(page, "line 21")).toBe(places[other]);
  await page.getByRole("button", { name: "2 new" }).click();
  await log(page).getByText("You said: Something new").waitFor();
  await page.getByRole("button", { name: "2 new" }).waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("the line that one reads of an answer stays where it is when the answer is whole", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await openTalk(page, await mainAgent());
  await say(page, "Tell me many things slowly fifth");
  await begins(page, "fifth");
  const live = log(page).locator(".live");
  await live.getByText("line 59", { exact: true }).waitFor();
  await live.getByText("line 12", { exact: true }).evaluate((node) => node.scrollIntoView({ block: "start" }));
  await page.getByRole("button", { name: "To the end" }).waitFor();
  const before = await placeOf(page, "line 12");
  // What is shorter for a moment takes nobody to its end.
  await live.evaluate(async (node) => {
    const scrolled = new Promise((resolve) =>
      node.closest(".log")?.addEventListener("scroll", resolve, { once: true }),
    );
    node.style.display = "none";
    await scrolled;
    node.style.display = "";
  });
  await expect.poll(() => placeOf(page, "line 12")).toBe(before);
  model.release("fifth");
  await log(page).getByText("and the last one").waitFor();
  await live.waitFor({ state: "detached" });
  await expect.poll(() => placeOf(page, "line 12")).toBe(before);
  expect(complaints).toEqual([]);
});

test("files that are dropped and pasted go with what is said, and reach the model", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await openTalk(page, await mainAgent());
  await page.getByRole("form", { name: /Write to/ }).evaluate((form) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["peas, beans"], "seeds.txt", { type: "text/plain" }));
    form.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
    form.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  const chips = page.locator(".compose .chip");
  await chips.filter({ hasText: "seeds.txt" }).getByText("11 bytes").waitFor();
  await field(page).evaluate(async (node) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 2, height: 2 });
    canvas.getContext("2d")?.fillRect(0, 0, 2, 2);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([blob ?? ""], "bed.png", { type: "image/png" }));
    node.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await chips
    .filter({ hasText: "bed.png" })
    .getByText(/\d bytes/)
    .waitFor();
  await page.reload();
  await expect.poll(() => chips.count()).toBe(2);
  expect(await axeProblems(page)).toEqual([]);
  await say(page, "Both files, please");
  const said = log(page).locator(".msg.me").filter({ hasText: "Both files, please" });
  await said.getByRole("img", { name: "bed.png" }).waitFor();
  await expect
    .poll(() => said.getByRole("img", { name: "bed.png" }).evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(2);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    said.getByRole("link", { name: "seeds.txt" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("seeds.txt");
  expect(await chips.count()).toBe(0);
  const asked = await system.until(
    () => JSON.stringify(model.asked.findLast(({ last }) => last.includes("Both files, please"))?.body),
    "the model is asked",
  );
  expect(asked).toContain('"media_type":"image/png"');
  expect(asked).toContain("seeds.txt");
  expect(complaints).toEqual([]);
});

test("a task stands in the conversation with its state, and leads to its run", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await openTalk(page, await mainAgent());
  await say(page, "Please send off somebody");
  await model.held("begin errand");
  const card = log(page).locator(".task").filter({ hasText: "Look at the lamp" });
  await card.getByRole("img", { name: "Working" }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  model.release("begin errand");
  model.release("errand");
  await card.getByRole("img", { name: "Done" }).waitFor();
  await log(page).getByText("News of a task").waitFor();
  const to = await card.getByRole("link", { name: "Look at the lamp" }).getAttribute("href");
  await card.getByRole("link", { name: "Look at the lamp" }).click();
  await page.waitForURL(`**${to}`);
  await page.locator("h1").waitFor();
  expect(complaints).toEqual([]);
});

test("a call that asks is allowed where it was asked, by its key, and then runs", async () => {
  await using tab = await letIn(browser, await link());
  const { page, complaints } = tab;
  await openTalk(page, await mainAgent());
  await say(page, "Please add a todo");
  const question = log(page).getByRole("group", { name: "May I use todo_add?" });
  await question.getByText("Water the peas").first().waitFor();
  const whole = question.getByRole("group", { name: "All of it" });
  expect(JSON.parse(await whole.innerText())).toMatchObject({ text: "Water the peas", facet: expect.any(String) });
  expect(await axeProblems(page)).toEqual([]);
  await question.focus();
  await page.keyboard.press("a");
  await question.getByText(/Allowed once by you/).waitFor();
  await log(page)
    .getByText(/^It says: /)
    .last()
    .waitFor();
  const agent = await mainAgent();
  const results = () =>
    JSON.stringify(
      system
        .history(agent)
        .filter(({ type }) => type === "tool_result")
        .at(-1),
    );
  await expect.poll(results).toContain("Water the peas");
  expect(complaints).toEqual([]);
});

test.each(looks)(
  "hostile words of an agent, of a person and in a name run nothing and break no layout, and axe finds nothing, at $width in $colorScheme",
  async (look) => {
    const other = await tellOdd(`hostile <script>globalThis.hit=1</script>\u202Eback\u0007 ${"M".repeat(20_000)}`);
    await using tab = await letIn(browser, await link(), look);
    const { page, complaints } = tab;
    await page.goto(`${url}/chat/${other}`);
    await log(page).getByRole("table").last().waitFor();
    expect(await log(page).locator("ol").last().getAttribute("start")).toBe("7");
    await page.locator("h1").waitFor();
    await expect.poll(() => log(page).locator(".highlight, pre code").count()).toBeGreaterThan(0);
    for (const path of [`/chat/${other}`, "/chat"]) {
      if (path === "/chat") await page.goto(url + path);
      await page.getByRole("link", { name: /Odd/ }).or(log(page)).locator("visible=true").first().waitFor();
      expect([path, await overflow(page), await axeProblems(page)]).toEqual([path, 0, []]);
    }
    expect(await page.evaluate<unknown>("globalThis.hit")).toBeUndefined();
    expect(complaints).toEqual([]);
  },
);

/** How far a line is below the upper edge of what was said, in whole pixels. */
const placeOf = (page: Page, line: string): Promise<number> =>
  log(page)
    .getByText(line, { exact: true })
    .last()
    .evaluate((node) =>
      Math.round(node.getBoundingClientRect().top - (node.closest(".log")?.getBoundingClientRect().top ?? 0)),
    );

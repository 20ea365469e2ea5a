/** Conversations with long-lived agents in a browser, on a whole system with a played model: streaming, waiting, taken back, decided. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { axeProblems, letIn, startBrowser } from "./browser.ts";
import { GatedModel, type Piece } from "./gated-model.ts";
import { linkOf } from "./page-program.ts";

let system: AgentsSystem;
let model: GatedModel;
let browser: Browser;
let url: string;
const pictures = process.env["CORTEX_PICTURES"];

/** `slowly GATE`: the answer stands still in its middle. `ask`: wants to add a todo. `many`: a long answer. */
function think({ last, results }: { last: string; results: { tool: string; text: string }[] }): Piece[] {
  if (results.length > 0) return [{ say: `It says: ${results[0]?.text.slice(0, 40)}` }];
  const [, gate] = /slowly (\w+)/.exec(last) ?? [];
  if (gate !== undefined)
    return [
      { hold: `begin ${gate}` },
      { say: "Henrik answered on **Sunday**: there is a socket" },
      { hold: gate },
      { say: " by the *lamp*." },
    ];
  if (last.includes("add a todo")) return [{ call: "todo_add", args: { facet: "garden", text: "Water the peas" } }];
  if (last.includes("hostile")) return [{ say: hostile }];
  if (last.includes("many")) return [{ say: Array.from({ length: 60 }, (_, line) => `- line ${line}`).join("\n") }];
  return [{ say: `You said: ${last.split("\n").at(-1)}` }];
}

const hostile = `<script>globalThis.hit=1</script><img src=x onerror="globalThis.hit=1"> ![x](https://example.org/x.png) [y](javascript:globalThis.hit=1) \u202Eback\u0007 ${"W".repeat(30_000)}

| a | ${"b".repeat(400)} |
| - | - |
| <b>c</b> | d |

\`\`\`ts
const a: string = "</pre><script>globalThis.hit=1</script>"; // ${"x".repeat(500)}
\`\`\``;

beforeAll(async () => {
  model = new GatedModel(think);
  const address = await model.listen();
  [system, browser] = await Promise.all([
    AgentsSystem.start(
      {
        channels: { web: { enabled: true } },
        permissions: [{ tool: "todo_add", decide: "ask" }],
        agents: { join_window_ms: 0 },
      },
      {
        "personas/main.json": JSON.stringify({ text_is_reply: true, identity: { name: "Wren" } }),
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

async function say(page: Page, text: string, key = "Enter"): Promise<void> {
  await field(page).fill(text);
  await field(page).press(key);
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
  await page.keyboard.type("gc");
  await page.getByText("Say something to your main agent").waitFor();
  await say(page, "Good morning");
  await log(page).getByText("You said: Good morning").waitFor();
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

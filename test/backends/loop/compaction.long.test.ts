import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { runWithModel } from "../../../backends/loop/agent.ts";
import { runAgent } from "../../../backends/loop/run/run.ts";
import { fromChain, fromEvents } from "../../../conversation/from-events.ts";
import { keepReasoningFor } from "../../../conversation/reasoning.ts";
import { isSummary } from "../../../conversation/summary/summary-message.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { addedSpent, nothingSpent, spentBy } from "../../../protocol/runs/spent.ts";
import { type TestRun, testRun } from "../../support/backends/agent-run.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";
import { factsIn, windowedModel, wires, type WindowedModel } from "./windowed-model.ts";

const attachments = mkdtempSync(join(tmpdir(), "cortex-compaction-"));
let server: ToolServer;
beforeAll(async () => {
  server = await startToolServer({
    register: (mcp) =>
      mcp.registerTool("page", { description: "Reads a page.", inputSchema: { path: z.string() } }, ({ path }) => {
        const [, number = "0", words = "300"] = path.split("/");
        const text = Array.from({ length: Number(words) }, (_, at) => `word${at % 10}`).join(" ");
        return { content: [{ type: "text", text: `FACT-${number}-${"abcdefghij"[Number(number) % 10]} ${text}` }] };
      }),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(attachments, { recursive: true, force: true });
});

const last = (run: TestRun) => run.events.at(-1);
const wireNames = Object.keys(wires) as (keyof typeof wires)[];

/** Reads so many pages, one a turn, with a picture now and then, and then says what facts it knows. */
const reader =
  (pages: number, words = 300) =>
  ({ messages }: { messages: readonly { text?: string; result?: unknown }[] }, number: number) =>
    number <= pages
      ? {
          text: `Page ${number} next.`,
          thinking: "hm",
          calls: [
            { tool: "page", args: { path: `pages/${number}/${words}` } },
            ...(number % 5 === 0 ? [{ tool: "picture", args: {} }] : []),
          ],
        }
      : { text: `Known: ${factsIn(JSON.stringify(messages)).join(" ")}` };

const settings = (config: Record<string, unknown>) => ({
  model: "m-1",
  prompt: "Read all pages, and keep FACT-99-z.",
  mcp_server_url: server.url,
  tools: ["page", "picture"],
  attachments_folder: attachments,
  ...config,
});

async function play(model: WindowedModel, config: Record<string, unknown>, onEvent?: (event: EventBody) => void) {
  const run = testRun(settings(config), onEvent);
  await runAgent(run, () => (own) => runWithModel(model, own));
  return run;
}

test.each(wireNames)(
  "a conversation that grows to many times its window goes on by itself, nothing that was summed up is lost, and no call is without its result: %s",
  async (name) => {
    const model = windowedModel(wires[name], 8000, reader(30));
    const run = await play(model, { context_window: { "m-1": 8000 } });
    expect(last(run)).toMatchObject({ event: "finish" });
    expect(model.faults).toEqual([]);
    expect(model.refused).toBe(0);
    const compacted = run.named("compacted");
    expect(compacted.length).toBeGreaterThan(1);
    expect(model.summaries.length).toBeGreaterThanOrEqual(compacted.length);
    for (const event of compacted) {
      expect(event).toMatchObject({ model: "m-1", cost_usd: null });
      expect(Number(event["tokens_after"])).toBeLessThan(0.7 * Number(event["tokens_before"]));
    }
    expect(new Set(factsIn(String(last(run)?.["result"])))).toEqual(
      new Set(["FACT-99-z", ...Array.from({ length: 30 }, (_, at) => `FACT-${at + 1}-${"abcdefghij"[(at + 1) % 10]}`)]),
    );
    const [sent] = model.calls.slice(-1);
    const rebuilt = keepReasoningFor(fromEvents(run.events).slice(0, -1), model.name, "m-1");
    // The words that name a file are added where it is shown.
    const bare = (message: object) => ({
      ...message,
      ...("result" in message && { result: "…" }),
      parts: undefined,
      media: undefined,
    });
    expect(rebuilt.map(bare)).toEqual(sent?.messages.map(bare));
    expect(rebuilt[0] && isSummary(rebuilt[0])).toBe(true);
    // What summaries used is used once, and says for what.
    const usages = run.named("usage");
    expect(usages.filter(({ purpose }) => purpose === "compaction")).toHaveLength(model.summaries.length);
    const spent = run.events
      .slice(0, -1)
      .reduce((sum, event) => addedSpent(sum, spentBy(event, sum) ?? nothingSpent), nothingSpent);
    expect(last(run)?.["usage"]).toMatchObject({
      input_tokens: spent.input_tokens,
      output_tokens: spent.output_tokens,
    });
    expect(usages.at(-1)).toMatchObject({ context_window: 8000, context_tokens: expect.any(Number) });
  },
);

test.each(wireNames)(
  "a model whose window nobody knows, and that answers that it was too long, is given less until it takes it: %s",
  async (name) => {
    for (const window of [2500, 4100, 7300]) {
      const model = windowedModel(wires[name], window, reader(15), { countsUsage: window !== 4100 });
      const run = await play(model, {});
      expect(last(run), `window ${window}`).toMatchObject({ event: "finish" });
      expect(model.faults).toEqual([]);
      expect(model.refused).toBeGreaterThan(0);
      expect(factsIn(String(last(run)?.["result"]))).toContain("FACT-99-z");
      expect(factsIn(String(last(run)?.["result"]))).toContain("FACT-1-b");
    }
  },
);

test("a conversation goes on with any other provider after it was summed up", async () => {
  for (const [at, first] of wireNames.entries()) {
    const before = await play(windowedModel(wires[first], 8000, reader(20)), { context_window: { "m-1": 8000 } });
    expect(before.named("compacted").length).toBeGreaterThan(0);
    const model = windowedModel(wires[wireNames[(at + 1) % wireNames.length] ?? "chat"], 8000, reader(0));
    const history = fromChain([before.events]);
    const after = await play(model, { context_window: { "m-1": 8000 }, history, prompt: "Which facts?" });
    expect(last(after)).toMatchObject({ event: "finish", result: expect.stringContaining("FACT-1-b") });
    expect(model.faults).toEqual([]);
  }
});

test("a later attempt that finds its prompt summed up isn't asked again", async () => {
  const model = windowedModel(wires.anthropic, 8000, reader(30));
  const before = await play(model, { context_window: { "m-1": 8000 } });
  const events = before.events.slice(0, -1);
  const again = windowedModel(wires.anthropic, 8000, reader(0));
  await play(again, {
    context_window: { "m-1": 8000 },
    attempt: 2,
    prompt_in_history: true,
    history: fromEvents(events),
  });
  const asked = again.calls[0]?.messages.filter(({ text }) => text?.startsWith("Read all pages"));
  expect(asked).toHaveLength(1);
});

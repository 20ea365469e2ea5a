import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { runWithModel } from "../../../backends/loop/agent.ts";
import { runAgent } from "../../../backends/loop/run/run.ts";
import { ProviderError } from "../../../backends/provider/provider.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { runScript, type TestRun, testRun } from "../../support/backends/agent-run.ts";
import { call, end, say, scripted, used } from "../../support/backends/scripted-provider.ts";
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

test("a result that is larger than a quarter of the window is given as its head and tail, and the file keeps all of it", async () => {
  const model = windowedModel(wires.anthropic, 8000, reader(1, 5000));
  const run = await play(model, { context_window: { "m-1": 8000 } });
  expect(last(run)).toMatchObject({ event: "finish" });
  expect(model.refused).toBe(0);
  expect(String(run.named("tool_end")[0]?.["result"]).length).toBeGreaterThan(25_000);
  const result = String(model.calls[1]?.messages.at(-1)?.result);
  expect(result.length).toBeLessThan(12_000);
  expect(result).toContain("Read on in pages/1/5000, a part at a time.");
});

test("the model of a run that may read results is told the path of the whole one", async () => {
  const model = windowedModel(wires.anthropic, 8000, reader(1, 5000));
  const run = await play(model, { context_window: { "m-1": 8000 }, tools: ["page", "picture", "get_resource"] });
  const [end] = run.named("tool_end");
  expect(String(model.calls[1]?.messages.at(-1)?.result)).toContain(
    `Read on: get_resource with path result:${String(end?.["call_id"])}.`,
  );
});

test("a message that no model takes ends the run with what to do", async () => {
  const model = windowedModel(wires.chat, 1500, reader(0));
  const alone = await play(model, { prompt: "x y z ".repeat(2000) });
  expect(last(alone)).toMatchObject({
    event: "error",
    detail: "too_long",
    error: expect.stringContaining("larger context"),
  });
  const history = [
    { role: "user", text: "before" },
    { role: "assistant", text: "words ".repeat(900) },
  ];
  const run = await play(model, { prompt: "x y z ".repeat(2000), history });
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "provider",
    detail: "too_long",
    error: expect.stringMatching(/also after its older part was summed up.*choose a model with a larger context/s),
  });
});

const long = "words ".repeat(322);
const bigHistory = Array.from({ length: 24 }, (_, at) => [
  { role: "user", text: `question ${at}` },
  { role: "assistant", text: long },
]).flat();

test("the model for summaries is the one that the settings name, and without an answer of it the run's own sums up", async () => {
  const provider = scripted(
    [new ProviderError("no such model", { status: 404 })],
    [say("Goal: beans."), used(5, 5, 0.25), end],
    [say("ok"), used(9, 1, 0.5), end],
  );
  const run = testRun({
    history: bigHistory,
    context_window: { "script-1": 10_000 },
    compaction: { model: "cheap-1" },
  });
  await runScript(run, provider);
  expect(provider.calls.map(({ model }) => model)).toEqual(["cheap-1", "script-1", "script-1"]);
  expect(run.named("compacted")).toMatchObject([{ summary: "Goal: beans.", model: "script-1", cost_usd: 0.25 }]);
  expect(last(run)).toMatchObject({ result: "ok", usage: { cost_usd: 0.75 } });
});

test("where no model sums up, excerpts take the place of the summary, and the run goes on", async () => {
  const provider = scripted([end], [say("ok"), end]);
  const run = testRun({ history: bigHistory, context_window: { "script-1": 10_000 } });
  await runScript(run, provider);
  expect(run.named("compacted")).toMatchObject([{ model: null, summary: expect.stringContaining("excerpts") }]);
  expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
});

test("the settings say from which part of the window on is summed up", async () => {
  for (const [at, compactions] of [
    [0.9, 0],
    [0.4, 1],
  ] as const) {
    const turns = compactions === 1 ? [[say("Goal: beans."), end]] : [];
    const run = testRun({ history: bigHistory, context_window: { "script-1": 20_000 }, compaction: { at } });
    await runScript(run, scripted(...turns, [say("ok"), end]));
    expect(run.named("compacted")).toHaveLength(compactions);
  }
});

test("where model calls are counted, those for summaries count, and the run ends by itself", async () => {
  const provider = scripted([say("Goal: beans."), end], [call("a", "page", { path: "p/1/9" }), end], [say("ok"), end]);
  const run = testRun({
    ...settings({ model: "script-1" }),
    history: bigHistory,
    context_window: { "script-1": 10_000 },
    max_turns: 2,
    max_total_turns: 3,
  });
  await runScript(run, provider);
  expect(provider.calls.map(({ toolChoice }) => toolChoice)).toEqual(["none", "auto", "none"]);
  expect(run.named("tool_end")).toMatchObject([{ is_error: true, result: expect.stringContaining("max_turns") }]);
  expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
});

test("a conversation of which nobody knows the window isn't looked up while it is small", async () => {
  let asked = 0;
  const contextWindow = () => {
    asked++;
    return Promise.resolve(10_000);
  };
  const provider = { ...scripted([say("ok"), end]), contextWindow };
  await runScript(testRun({ history: bigHistory.slice(0, 2) }), provider);
  expect(asked).toBe(0);
  const second = { ...scripted([say("Goal: beans."), end], [say("ok"), end]), contextWindow };
  const run = testRun({ history: bigHistory });
  await runScript(run, second);
  expect(asked).toBe(1);
  expect(run.named("compacted")).toHaveLength(1);
  expect(run.named("usage").at(-1)).toMatchObject({ context_window: 10_000 });
});

test("a conversation that its asker keeps isn't summed up before the first answer", async () => {
  const provider = scripted([new ProviderError("too much", { status: 400, detail: "too_long" })]);
  const run = testRun({ history: bigHistory, context_window: { "script-1": 10_000 }, keeps_conversation: true });
  await runScript(run, provider);
  expect(run.named("compacted")).toEqual([]);
  expect(last(run)).toMatchObject({ event: "error", detail: "too_long", error: "too much" });
});

test("room for the longest answer is kept free", async () => {
  for (const [max_tokens, compactions] of [
    [1000, 0],
    [6000, 1],
  ] as const) {
    const turns = compactions === 1 ? [[say("Goal: beans."), end]] : [];
    const run = testRun({ history: bigHistory, context_window: { "script-1": 14_000 }, max_tokens });
    await runScript(run, scripted(...turns, [say("ok"), end]));
    expect(run.named("compacted")).toHaveLength(compactions);
  }
});

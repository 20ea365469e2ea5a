/** The tool calls of a run: in order, with results that its model reads, and no more than it may make. */
import { expect, test } from "vitest";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { last, names, useToolServer } from "../../support/backends/run-with-tools.ts";
import { call, end, say, scripted, used } from "../../support/backends/scripted-provider.ts";
import { startToolServer } from "../../support/tool-server.ts";

const withTools = useToolServer();

test("tool calls run one after the other, in order, and the model reads their results", async () => {
  const provider = scripted(
    [say("Two things."), call("a", "echo", { text: "one" }), call("b", "echo", '{"text":"two"}'), used(1, 1), end],
    [say("Done."), used(1, 1), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(names(run)).toEqual([
    "start",
    "usage",
    "text",
    "tool_start",
    "tool_end",
    "tool_start",
    "tool_end",
    "usage",
    "finish",
  ]);
  expect(run.named("tool_start", "tool_end")).toEqual([
    { event: "tool_start", tool: "echo", args: { text: "one" }, call_id: "a" },
    {
      event: "tool_end",
      tool: "echo",
      args: { text: "one" },
      call_id: "a",
      result: "one",
      is_error: false,
      duration_ms: 0,
    },
    { event: "tool_start", tool: "echo", args: { text: "two" }, call_id: "b" },
    {
      event: "tool_end",
      tool: "echo",
      args: { text: "two" },
      call_id: "b",
      result: "two",
      is_error: false,
      duration_ms: 0,
    },
  ]);
  expect(provider.calls[1]?.messages).toEqual([
    { role: "user", text: "hello" },
    {
      role: "assistant",
      text: "Two things.",
      calls: [
        { call_id: "a", tool: "echo", args: { text: "one" } },
        { call_id: "b", tool: "echo", args: { text: "two" } },
      ],
    },
    { role: "tool", call_id: "a", result: "one" },
    { role: "tool", call_id: "b", result: "two" },
  ]);
  expect(provider.calls[0]?.toolChoice).toBe("auto");
  expect(provider.calls[0]?.tools.find(({ name }) => name === "echo")).toMatchObject({
    description: "Says it again.",
    schema: { type: "object", properties: { text: { type: "string" } } },
  });
});

test.each([
  ["an unknown tool", call("a", "ehco"), /Tool not found: "ehco"\. The tools are: echo, /],
  ["a tool that throws", call("a", "fail"), /the disk is on fire/],
  ["arguments that don't fit", call("a", "echo", { text: 7 }), /echo.*expected string/s],
  [
    "arguments that aren't JSON",
    call("a", "echo", '{"text":"o'),
    /expected a JSON object of at most 48 levels, got "\{\\"text/,
  ],
  [
    "arguments that are no object",
    call("a", "echo", "[1]"),
    /expected a JSON object of at most 48 levels, got "\[1\]"/,
  ],
])("%s is an error that the model reads, and the run goes on", async (_, chunk, message) => {
  const provider = scripted([chunk, end], [say("I see."), end]);
  const run = testRun(withTools());
  await runScript(run, provider);
  const [ended] = run.named("tool_end");
  expect(ended).toMatchObject({ is_error: true, call_id: "a", result: expect.stringMatching(message) });
  expect(provider.calls[1]?.messages.at(-1)).toEqual({
    role: "tool",
    call_id: "a",
    result: ended?.["result"],
    is_error: true,
  });
  expect(last(run)).toMatchObject({ event: "finish", result: "I see." });
});

test("a call without an id, or with one that was used, gets one of its own", async () => {
  const provider = scripted(
    [call("", "echo", { text: "1" }), call("", "echo", { text: "2" }), end],
    [call("echo-1", "echo", { text: "3" }), call("old", "echo", { text: "4" }), end],
    [say("ok"), end],
  );
  const run = testRun(withTools({ history: [{ role: "assistant", calls: [{ call_id: "old", tool: "echo" }] }] }));
  await runScript(run, provider);
  expect(run.named("tool_end").map(({ call_id, result }) => [call_id, result])).toEqual([
    ["echo-1", "1"],
    ["echo-2", "2"],
    ["echo-3", "3"],
    ["echo-4", "4"],
  ]);
});

test("a tool server that refuses the run ends it after its start, with the reason", async () => {
  await using closed = await startToolServer({ token: "secret" });
  const run = testRun({ mcp_server_url: closed.url, mcp_token: "wrong" });
  await runScript(run, scripted());
  expect(names(run)).toEqual(["start", "error"]);
  expect(last(run)).toMatchObject({ reason: "config", error: expect.stringContaining("refused the token (401)") });
});

test("a run has the tools that it was given and no others, and hears of those that aren't there", async () => {
  const provider = scripted([call("a", "fail"), end], [say("ok"), end]);
  const run = testRun(withTools({ tools: ["echo", "todo_add"] }));
  await runScript(run, provider);
  expect(provider.calls[0]?.tools.map(({ name }) => name)).toEqual(["echo"]);
  expect(run.named("info")).toEqual([{ event: "info", message: "the tool server doesn't offer: todo_add" }]);
  expect(run.named("tool_end")).toMatchObject([
    { is_error: true, result: 'Tool not found: "fail". The tools are: echo.' },
  ]);
});

test.each([{ disable_mcp: true }, { tools: [] }])("no tool server is asked for anything with %j", async (config) => {
  await using server = await startToolServer();
  const provider = scripted([say("ok"), end]);
  await runScript(testRun({ mcp_server_url: server.url, ...config }), provider);
  expect(provider.calls[0]?.tools).toEqual([]);
  expect(server.tokens).toEqual([]);
});

test("pending calls at max_turns get a warning, and one last turn has no tools", async () => {
  const again = [call("", "echo", { text: "more" }), end];
  const provider = scripted(again, again, [call("", "echo", { text: "still" }), say("Enough."), end]);
  const run = testRun(withTools({ max_turns: 2 }));
  await runScript(run, provider);
  expect(provider.calls.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
  expect(run.named("tool_end")).toMatchObject([
    { result: "more", is_error: false },
    { result: expect.stringContaining("the last of 2 model calls (max_turns)"), is_error: true },
  ]);
  expect(last(run)).toMatchObject({ event: "finish", result: "Enough." });
});

test.each([1, 2])(
  "a model that is done at the last of %i turns hears of no limit, and isn't asked again",
  async (max_turns) => {
    const calls = Array.from({ length: max_turns - 1 }, () => [call("", "echo", { text: "more" }), end]);
    const provider = scripted(...calls, [say("Done."), end]);
    const run = testRun(withTools({ max_turns }));
    await runScript(run, provider);
    expect(provider.calls).toHaveLength(max_turns);
    expect(JSON.stringify([provider.calls, run.events])).not.toContain("max_turns");
    expect(run.named("tool_end").filter(({ is_error }) => is_error)).toEqual([]);
    expect(last(run)).toMatchObject({ event: "finish", result: "Done." });
  },
);

test("max_turns is 50 unless it is set", async () => {
  const turns = Array.from({ length: 50 }, () => [call("", "echo", { text: "x" }), end]);
  const provider = scripted(...turns, [say("Enough."), end]);
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(provider.calls).toHaveLength(51);
  expect(run.named("tool_end").filter(({ is_error }) => is_error)).toHaveLength(1);
});

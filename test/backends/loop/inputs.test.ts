/** Inputs to a running run: when its model hears them, and how that is said. */
import { expect, test } from "vitest";
import { ProviderError } from "../../../backends/provider/provider.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { last, names, useToolServer } from "../../support/backends/run-with-tools.ts";
import { call, end, say, scripted } from "../../support/backends/scripted-provider.ts";

const withTools = useToolServer();

test("an input during a call comes behind the call's result", async () => {
  const provider = scripted([call("a", "echo", { text: "1" }), end], [say("ok"), end]);
  const run = testRun(
    withTools(),
    ({ event }) => void (event === "tool_start" && run.inbox.push({ text: "only May" })),
  );
  await runScript(run, provider);
  expect(provider.calls[1]?.messages.slice(-2)).toEqual([
    { role: "tool", call_id: "a", result: "1" },
    { role: "user", text: "only May" },
  ]);
  expect(names(run)).not.toContain("input");
});

test("an input that has an id is said to be taken by it, before the usage of the call that has heard it", async () => {
  const provider = scripted([call("a", "echo", { text: "1" }), end], [say("ok"), end]);
  const run = testRun(withTools(), ({ event }) => {
    if (event !== "tool_start") return;
    run.inbox.push({ text: "same", id: "i1" });
    run.inbox.push({ text: "same", id: "i2" });
  });
  await runScript(run, provider);
  const taken = { event: "input_taken" };
  expect(run.named("input_taken", "usage", "finish")).toMatchObject([
    { event: "usage" },
    { ...taken, id: "i1" },
    { ...taken, id: "i2" },
    { event: "usage", inputs: 2 },
    { event: "finish" },
  ]);
});

test("an input of a call that fails isn't said to be taken", async () => {
  const provider = scripted(
    [call("a", "echo", { text: "1" }), end],
    [() => Promise.reject(new ProviderError("no such model", { status: 404 }))],
  );
  const run = testRun(
    withTools(),
    ({ event }) => void (event === "tool_start" && run.inbox.push({ text: "only May", id: "i1" })),
  );
  await runScript(run, provider);
  expect(last(run)).toMatchObject({ event: "error" });
  expect(names(run)).not.toContain("input_taken");
});

test("inputs to a former attempt are said to be taken by the first call of the next one", async () => {
  const history = [
    { role: "user", text: "hello" },
    { role: "assistant", text: "Hm." },
    { role: "user", text: "only May" },
  ];
  const run = testRun({ attempt: 2, prompt_in_history: true, history, former_inputs: ["i1"] });
  await runScript(run, scripted([say("ok"), end]));
  expect(run.named("input_taken", "usage")).toMatchObject([{ event: "input_taken", id: "i1" }, { event: "usage" }]);
});

test("an input during the last answer gets an answer of its own", async () => {
  const run = testRun({});
  const provider = scripted([say("First."), () => run.inbox.push({ text: "and then?" }), end], [say("Second."), end]);
  await runScript(run, provider);
  expect(provider.calls[1]?.messages).toEqual([
    { role: "user", text: "hello" },
    { role: "assistant", text: "First." },
    { role: "user", text: "and then?" },
  ]);
  expect(run.named("text", "finish")).toMatchObject([{ text: "First." }, { result: "Second." }]);
});

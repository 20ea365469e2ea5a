/** Model calls that fail: which are made again, and what is told of the others. */
import { expect, test } from "vitest";
import { ProviderError } from "../../../backends/provider/provider.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { last, names, useToolServer } from "../../support/backends/run-with-tools.ts";
import { call, end, say, scripted, used } from "../../support/backends/scripted-provider.ts";

const withTools = useToolServer();

test("a stream that dies half-way is asked again: nothing of it was said, and what it used is counted", async () => {
  const provider = scripted(
    [
      say("Half a tho"),
      call("a", "echo", { text: "1" }),
      used(5, 1, 0.1),
      new ProviderError("reset", { isBroken: true }),
    ],
    [say("Half a tho")],
    [say("A whole thought."), used(5, 4, 0.2), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(names(run)).toEqual(["start", "usage", "retry", "usage", "retry", "usage", "finish"]);
  expect(run.named("retry")).toMatchObject([
    { attempt: 1, delay_ms: 2000, reason: "reset" },
    { attempt: 2, delay_ms: 4000, reason: expect.stringContaining("broke off") },
  ]);
  expect(last(run)).toMatchObject({ result: "A whole thought." });
  expect(last(run)?.["usage"]).toMatchObject({ input_tokens: 10, output_tokens: 5, cost_usd: expect.closeTo(0.3) });
});

test("a run's own waits are those between the attempts of its model calls, and an outage is told as one after them", async () => {
  const away = () => [new ProviderError("away", { status: 503 })];
  const run = testRun({ retry_seconds: [1, 5] });
  await runScript(run, scripted(away(), away(), away()));
  expect(run.named("retry").map((retry) => [retry["delay_ms"], retry["status"]])).toEqual([
    [1000, 503],
    [5000, 503],
  ]);
  expect(last(run)).toMatchObject({ event: "error", reason: "provider", detail: "unavailable" });
});

test("a failure that no retry repairs ends the run at once", async () => {
  const run = testRun({});
  await runScript(run, scripted([new ProviderError("the key was refused", { status: 401, reason: "config" })]));
  expect(run.events.slice(1)).toEqual([{ event: "error", error: "the key was refused", reason: "config" }]);
});

test("a defect is told as one, with its trace", async () => {
  const run = testRun({});
  await runScript(run, scripted([new TypeError("x is not a function")]));
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "internal",
    error: expect.stringContaining("x is not a function"),
    trace: expect.stringContaining("TypeError"),
  });
});

test.each([
  ["nothing at all", [end], /answered with nothing/, "empty"],
  ["only blanks", [say(" \n"), end], /answered with nothing/, "empty"],
  [
    "a refusal",
    [say("I'd rather "), { type: "end", stop: "refusal", detail: "policy" }],
    /refused to answer: policy/,
    "refused",
  ],
  [
    "a cut answer that isn't to be gone on with",
    [say("It all began"), { type: "end", stop: "max_tokens" }],
    /cut off at max_tokens = 5: raise max_tokens/,
    "cut_off",
  ],
] as const)("%s is not a success", async (_, steps, message, detail) => {
  const run = testRun({ max_tokens: 5, continue_cut_answers: false });
  await runScript(run, scripted([...steps]));
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "provider",
    detail,
    error: expect.stringMatching(message),
  });
});

test.each([
  ["a tool that isn't there", "ehco", {}, "ehco"],
  ["arguments that are none", "echo", '"text"', "echo"],
])("the same call of %s again and again ends the run as a loop", async (_, tool, args, name) => {
  const wrong = (id: number) => [call(`c${id}`, tool, args), end];
  const right = [call("r", "echo", { text: "hi" }), end];
  const run = testRun(withTools({ max_turns: 40 }));
  // Another call in between: it hasn't repeated itself.
  await runScript(run, scripted(...[1, 2, 3, 4].map(wrong), right, ...[5, 6, 7, 8, 9].map(wrong)));
  expect(run.named("tool_end")).toHaveLength(10);
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "loop",
    error: `it made the same call 5 times in a row ("${name}"), which can't be made`,
  });
  const early = testRun(withTools({ loop_limit: 2 }));
  await runScript(early, scripted(...[1, 2].map(wrong)));
  expect(last(early)).toMatchObject({ reason: "loop" });
});

test("calls that can't be made, again and again in the same order, end the run as a loop", async () => {
  const wrong = (id: number) => [call(`c${id}`, id % 2 === 0 ? "lsit" : "ehco"), end];
  const run = testRun(withTools({ max_turns: 40 }));
  await runScript(run, scripted(...[1, 2, 3, 4, 5, 6].map(wrong)));
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "loop",
    error: `it made the same 2 calls 3 times in a row ("lsit"), which can't be made`,
  });
});

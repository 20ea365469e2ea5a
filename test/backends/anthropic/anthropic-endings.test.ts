/** Endings of an answer: a pause, a refusal, the limit of tokens, and reasons that this version may not know. */
import { expect, test } from "vitest";
import { body, messages, runOn, runWith, stoppedStream, textEvents } from "../../support/backends/anthropic-run.ts";
import { useToolServer } from "../../support/backends/run-with-tools.ts";
import { startAnthropic } from "../../support/providers/anthropic.ts";

const withTools = useToolServer();

test("a model that pauses is asked to go on", async () => {
  const { run, played } = await runWith([{ turn: { text: "Wait.", stop: "pause" } }, { turn: { text: "Done." } }]);
  expect(played.refusals).toEqual([]);
  expect(run.named("text", "finish")).toMatchObject([{ text: "Wait." }, { result: "Done." }]);
  expect(messages(played.requests[1]).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("a refusal ends the run, with what the API says about it", async () => {
  const { last } = await runWith([{ turn: { text: "I", stop: "refusal" } }]);
  expect(last).toEqual({
    event: "error",
    reason: "provider",
    detail: "refused",
    error: "anthropic (claude-sonnet-5) refused to answer: It could do harm.",
  });
});

test("the limit of tokens ends the run, and says which", async () => {
  const { last, played } = await runWith([{ turn: { text: "Once upon", stop: "max_tokens" } }], {
    max_tokens: 5,
    continue_cut_answers: false,
  });
  expect(last).toMatchObject({ reason: "provider", error: expect.stringContaining("cut off at max_tokens = 5") });
  expect(body(played.requests[0]).max_tokens).toBe(5);
});

test.each(["", '{"text": "ha'])("a call that was cut off at the limit, with arguments %j, isn't made", async (args) => {
  const { run, last } = await runWith(
    [{ turn: { text: "Now:", calls: [{ tool: "picture", args }], stop: "max_tokens" } }],
    { ...withTools(), continue_cut_answers: false },
  );
  expect(run.named("tool_start")).toEqual([]);
  expect(last).toMatchObject({ event: "error", error: expect.stringContaining("raise max_tokens") });
});

test("the calls before the one that was cut off are made, and so is a whole one", async () => {
  await using played = await startAnthropic([
    {
      turn: {
        calls: [
          { tool: "echo", args: { text: "one" } },
          { tool: "echo", args: '{"text": "tw' },
        ],
        stop: "max_tokens",
      },
    },
    { turn: { calls: [{ tool: "echo", args: { text: "two" } }], stop: "max_tokens" } },
    { turn: { text: "ok" } },
  ]);
  const run = await runOn(played, withTools());
  expect(run.named("tool_end").map(({ result }) => result)).toEqual(["one", "two"]);
});

test.each([
  ["stop_sequence", "finish", undefined],
  ["end_turn", "finish", undefined],
  [null, "finish", undefined],
  ["a_reason_of_tomorrow", "finish", undefined],
  ["model_context_window_exceeded", "error", /the model's context is full: begin a new run/],
])("an answer that stops for %s", async (reason, event, error) => {
  const { last, run } = await runWith([stoppedStream(reason, ...textEvents("ok"))]);
  expect(last?.event).toBe(event);
  if (error) expect(last?.["error"]).toMatch(error);
  expect(run.named("usage")).toMatchObject([{ input_tokens: 3, output_tokens: 7, cached_input_tokens: 0 }]);
});

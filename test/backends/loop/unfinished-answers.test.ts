/** Answers that are cut off or aren't whole yet: kept in pieces, and gone on with. */
import { expect, test } from "vitest";
import { fromEvents } from "../../../conversation/from-events.ts";
import { ProviderError } from "../../../backends/provider/provider.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { last, names, useToolServer } from "../../support/backends/run-with-tools.ts";
import { call, end, say, scripted, type Step } from "../../support/backends/scripted-provider.ts";

const withTools = useToolServer();

const cutHere: Step = { type: "end", stop: "max_tokens" };

test("a cut answer is kept as text, since it was paid for", async () => {
  const run = testRun({ continue_cut_answers: false });
  await runScript(run, scripted([say("It all began"), cutHere]));
  expect(run.named("text")).toEqual([{ event: "text", text: "It all began", partial: true }]);
  expect(fromEvents(run.events).at(-1)).toEqual({ role: "assistant", text: "It all began" });
});

test("an answer that is cut off goes on once by itself, says so, and is one answer", async () => {
  const provider = scripted([say("It all be"), cutHere], [say("gan in May."), end]);
  const run = testRun({});
  await runScript(run, provider);
  expect(names(run)).toEqual(["start", "usage", "text", "cut_off", "usage", "finish"]);
  expect(run.named("usage").map((usage) => usage["finish_reason"])).toEqual(["length", "stop"]);
  expect(provider.calls[1]?.messages.slice(1)).toEqual([
    { role: "assistant", text: "It all be" },
    { role: "user", text: expect.stringContaining("Go on exactly where it ended") },
  ]);
  expect(last(run)).toMatchObject({ event: "finish", result: "It all began in May." });
  expect(fromEvents(run.events)).toEqual([
    { role: "user", text: "hello" },
    { role: "assistant", text: "It all began in May." },
  ]);
});

test("an answer that goes on with a call has its whole text before it, and the next call is sent what a later run rebuilds", async () => {
  const provider = scripted(
    [say("I will lo"), cutHere],
    [say("ok it up."), call("a", "echo", { text: "1" }), end],
    [say("Done."), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(run.named("text").map(({ text, partial }) => [text, partial])).toEqual([
    ["I will lo", true],
    ["I will look it up.", undefined],
  ]);
  expect(provider.calls[2]?.messages).toEqual(fromEvents(run.events).slice(0, -1));
  expect(provider.calls[2]?.messages[1]).toMatchObject({ text: "I will look it up." });
});

test("an answer that is cut off and is summed up around before it goes on is whole, and stands once", async () => {
  const words = "It all began in a garden, where ";
  const half = words.repeat(400);
  const tooLong = () => Promise.reject(new ProviderError("too long", { status: 400, detail: "too_long" }));
  const provider = scripted(
    [say(half), cutHere],
    [tooLong],
    [say("They spoke of gardens."), end],
    [say("nobody was."), end],
  );
  const history = Array.from({ length: 6 }, (_, at) => [
    { role: "user", text: `Question ${at}? ${"word ".repeat(200)}` },
    { role: "assistant", text: `Answer ${at}.` },
  ]).flat();
  const run = testRun({ history }, ({ event }) => void (event === "cut_off" && run.inbox.push({ text: "only May" })));
  await runScript(run, provider);
  const goOn = { role: "user", text: expect.stringContaining("Go on exactly where it ended") };
  const kept = run.named("compacted")[0]?.["kept"] as object[] | undefined;
  expect(kept?.slice(-3)).toEqual([{ role: "assistant", text: half }, goOn, { role: "user", text: "only May" }]);
  expect(last(run)).toMatchObject({ event: "finish", result: `${half}nobody was.` });
  const rebuilt = fromEvents(run.events);
  expect(rebuilt.at(-1)).toEqual({ role: "assistant", text: `${half}nobody was.` });
  expect(JSON.stringify(rebuilt).split("began in a garden")).toHaveLength(401);
});

test("an answer that is cut off twice ends the run, and all that was said of it is kept", async () => {
  const run = testRun({});
  await runScript(run, scripted([say("It all be"), cutHere], [say("gan in Ma"), cutHere]));
  expect(last(run)).toMatchObject({ event: "error", reason: "provider", detail: "cut_off" });
  expect(run.named("text").map(({ text }) => text)).toEqual(["It all be", "gan in Ma"]);
});

test("an answer that is cut off before it said anything isn't gone on with", async () => {
  const provider = scripted([{ type: "thinking", summary: "hm" }, cutHere]);
  const run = testRun({});
  await runScript(run, provider);
  expect(last(run)).toMatchObject({ event: "error", detail: "cut_off" });
});

test.each([
  ["stop", [say("ok"), end]],
  ["tool_calls", [call("a", "echo", { text: "1" }), end]],
  ["refusal", [say("No."), { type: "end", stop: "refusal" }]],
  ["length", [say("It all"), cutHere]],
] as const)("a model call says that it ended with %s", async (reason, steps) => {
  const run = testRun(withTools({ continue_cut_answers: false }));
  await runScript(run, scripted([...steps], [say("ok"), end]));
  expect(run.named("usage")[0]).toMatchObject({ finish_reason: reason });
});

test("a model call that is cancelled says so, also where its provider told of no use", async () => {
  const run = testRun({ stream: true }, ({ event }) => void (event === "text_delta" && run.cancel()));
  await runScript(run, scripted([say("I was say"), () => new Promise(() => {})]));
  expect(run.events.slice(2)).toEqual([
    { event: "usage", model: "script-1", cost_usd: null, finish_reason: "cancelled" },
    { event: "text", text: "I was say", partial: true },
    { event: "error", error: "cancelled", reason: "cancelled" },
  ]);
});

test("what a model says for longer than 5 s is kept in pieces, also while nothing more comes, and the whole takes their place", async () => {
  const run = testRun({});
  const pass = (ms: number) => () => run.clock.pass(ms);
  const steps = [
    say("One, "),
    pass(4_999),
    say("two, "),
    pass(1),
    say("three"),
    pass(5_000),
    pass(5_000),
    say("."),
    end,
  ];
  await runScript(run, scripted(steps));
  expect(run.named("text")).toEqual([
    { event: "text", text: "One, two, ", partial: true },
    { event: "text", text: "three", partial: true },
  ]);
  expect(last(run)).toMatchObject({ event: "finish", result: "One, two, three." });
  expect(fromEvents(run.events)).toEqual([
    { role: "user", text: "hello" },
    { role: "assistant", text: "One, two, three." },
  ]);
  expect(fromEvents(run.events.slice(0, -1)).at(-1)).toEqual({ role: "assistant", text: "One, two, three" });
});

test("pieces of a stream that dies are void, and what the last try said is kept", async () => {
  const run = testRun({ retry_seconds: [1] });
  const died = () => new ProviderError("reset", { isBroken: true });
  await runScript(
    run,
    scripted([say("First"), () => run.clock.pass(5_000), say(" try"), died()], [say("Second try"), died()]),
  );
  expect(run.named("text", "retry").map(({ event, text }) => text ?? event)).toEqual(["First", "retry", "Second try"]);
  expect(fromEvents(run.events).at(-1)).toEqual({ role: "assistant", text: "Second try" });
});

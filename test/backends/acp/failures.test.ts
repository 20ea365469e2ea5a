/** Why a coding agent gave no answer, in words that say what to do. */
import { RequestError, type StopReason } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { agentFailure, stopFailure } from "../../../backends/acp/failures.ts";
import { RunFailure } from "../../../backends/provider/failure.ts";

const stops: [reason: string, text: string, failure: object | null][] = [
  ["end_turn", "Well.", null],
  [
    "max_tokens",
    "",
    { detail: "cut_off", message: "the answer of mine was cut off at its limit of tokens: ask for less" },
  ],
  [
    "max_turn_requests",
    "",
    { detail: "turn_limit", message: "mine wasn't done after as many model calls as it makes: ask for less" },
  ],
  ["refusal", "I can't  do that.", { detail: "refused", message: "mine refused to answer: I can't do that." }],
  ["cancelled", "", { message: "mine has ended its turn before it was done" }],
  ["bored", "", { message: "mine stopped for a reason that nobody here knows: bored" }],
];

test.each(stops)("a turn that stops with %s", (reason, text, failure) => {
  const found = stopFailure("mine", reason as StopReason, text);
  if (failure === null) expect(found).toBeNull();
  else expect(found).toMatchObject({ reason: "provider", ...failure });
});

test("an agent that wants a login says which key does, where one is known", () => {
  const wanted = RequestError.authRequired();
  expect(agentFailure("codex", wanted, "")).toMatchObject({
    reason: "config",
    message: "codex has no key and no login: set OPENAI_API_KEY where cortex runs, or run its program once and log in",
  });
  expect(agentFailure("mine", wanted, "").message).toBe(
    "mine has no key and no login: run its program once and log in",
  );
});

test("an error has what the agent says beside it, and its last words where they say more", () => {
  const error = new RequestError(-32_603, "Internal error", { details: "no such model" });
  const { message } = agentFailure("mine", error, "panic: at the disco");
  expect(message).toBe('mine failed: Internal error: {"details":"no such model"}; it says: panic: at the disco');
  expect(agentFailure("mine", new Error("spawn failed: EACCES"), "EACCES").message).toBe(
    "mine failed: spawn failed: EACCES",
  );
});

test("long words are cut, and a failure that is one already stays", () => {
  expect(agentFailure("mine", new Error("x".repeat(5_000)), "").message.length).toBeLessThan(1_100);
  const own = new RunFailure("config", "no program");
  expect(agentFailure("mine", own, "")).toBe(own);
});

import { expect, test } from "vitest";
import { missingKey } from "../../../../backends/provider/http-failure.ts";
import { ErrorReason } from "../../../../protocol/events/error-reason.ts";
import { failureDetail, failureSentence } from "../../../../page/words/runs/reasons.ts";

test.each([
  ["timeout", "ran longer than timeout_seconds, 300 s", "Stopped at its limit of 5 minutes"],
  ["idle", "said nothing for idle_timeout_seconds, 180 s", "Silent for 3 minutes, so it was stopped"],
  ["crash", "exited with code 3", "Its program broke off (exit 3)"],
  ["interrupted", "lost 3 times: no exit status was recorded", "Its machine went away, 3 times"],
  ["config", missingKey("anthropic", "ANTHROPIC_API_KEY").message, "No key for Anthropic"],
  ["provider", "429 Too Many Requests", "The model's service was too busy"],
])("%s: %s", (reason, error, sentence) => {
  expect(failureSentence({ reason, error })).toBe(sentence);
  expect(failureDetail({ reason, error })).toBe(error);
});

test("each reason has a sentence, and none has its name in it", () => {
  for (const reason of ErrorReason.options) {
    const sentence = failureSentence({ reason, error: null });
    expect(sentence, reason).toMatch(/^[A-Z]/);
    expect(sentence).not.toBe("It failed, and didn't say why");
  }
});

test("a failure of no known reason is told in its own words, once", () => {
  const failure = { reason: "tired", error: "the agent fell asleep\nat line 3" };
  expect(failureSentence(failure)).toBe("the agent fell asleep");
  expect(failureDetail(failure)).toBe("");
  expect(failureSentence({ reason: null, error: "" })).toBe("It failed, and didn't say why");
});

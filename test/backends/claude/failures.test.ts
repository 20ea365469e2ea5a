import type { SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { failureOf } from "../../../backends/claude/failures.ts";

test("a run that wasn't done within max_turns says so, in words and for programs", () => {
  const result = { type: "result", subtype: "error_max_turns", errors: [] } as unknown as SDKResultMessage;
  expect(failureOf(result, undefined, { max_turns: 3 } as never, true)).toMatchObject({
    reason: "provider",
    detail: "turn_limit",
    message: expect.stringContaining("max_turns = 3"),
  });
});

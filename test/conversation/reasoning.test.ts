import { expect, test } from "vitest";
import { keepReasoningFor } from "../../conversation/reasoning.ts";
import type { Message } from "../../protocol/runs/run-config.ts";

const own = { provider: "p", model: "m", opaque: 1 };

test("reasoning of another provider or model is left out, calls and text are kept", () => {
  const call = { call_id: "a", tool: "t", args: {} };
  const messages: Message[] = [
    { role: "user", text: "hm" },
    { role: "assistant", reasoning: [own, { ...own, model: "n" }], text: "so" },
    { role: "assistant", reasoning: [{ ...own, provider: "q" }], calls: [call] },
    { role: "assistant", reasoning: [{ opaque: "nobody's" }] },
  ];
  expect(keepReasoningFor(messages, "p", "m")).toEqual([
    { role: "user", text: "hm" },
    { role: "assistant", reasoning: [own], text: "so" },
    { role: "assistant", calls: [call] },
  ]);
});

import { expect, test } from "vitest";
import { askerLine } from "../../../../conversation/marks/speaker-labels.ts";
import { systemMessage, userMessage } from "../../../../conversation/marks/system-message.ts";
import { askedLine } from "../../../../page/words/runs/asked-line.ts";

const cli = { type: "cli", channelId: "main" };

test("what a person asked is shown as it is", () => {
  expect(askedLine("  What is due?\nOn Tuesday.")).toBe("What is due?");
  expect(askedLine("")).toBe("");
});

test("of an agent's run what was said to it is shown, without the channel's line", () => {
  expect(askedLine(userMessage(cli, "When was it?\nTell me."))).toBe("When was it?");
  const before = systemMessage("history", "The conversation before.\n[channel: x]");
  expect(askedLine(`${before}\n\n${userMessage(cli, "When was it?")}`)).toBe("When was it?");
});

test("of what another agent or a task has said the tag isn't shown", () => {
  expect(askedLine(systemMessage("agent:a1", "Look for it."))).toBe("Look for it.");
  expect(askedLine(systemMessage("task:t1", "[Task t1 done]\nFound."))).toBe("[Task t1 done]");
});

test("of a thread's run the line on who asks isn't shown", () => {
  expect(askedLine(`${askerLine}Ada (role: admin).\n\nWhat does it cost?`)).toBe("What does it cost?");
});

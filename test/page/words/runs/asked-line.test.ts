import { expect, test } from "vitest";
import { askerLine } from "../../../../conversation/marks/speaker-labels.ts";
import { systemMessage, userMessage } from "../../../../conversation/marks/system-message.ts";
import { askedLine } from "../../../../page/words/runs/asked-line.ts";

const cli = { type: "cli", channelId: "main" };

test("the words of a person are shown as they are", () => {
  expect(askedLine("  What is due?\nOn Tuesday.")).toBe("What is due?");
  expect(askedLine("")).toBe("");
});

test("an agent's run is shown by what was said to it, without the channel's line", () => {
  expect(askedLine(userMessage(cli, "When was it?\nTell me."))).toBe("When was it?");
  const before = systemMessage("history", "The conversation before.\n[channel: x]");
  expect(askedLine(`${before}\n\n${userMessage(cli, "When was it?")}`)).toBe("When was it?");
});

test("the tag around what another agent or a task has said isn't shown", () => {
  expect(askedLine(systemMessage("agent:a1", "Look for it."))).toBe("Look for it.");
  expect(askedLine(systemMessage("task:t1", "[Task t1 done]\nFound."))).toBe("[Task t1 done]");
});

test("the line on who asks isn't shown of a thread's run", () => {
  expect(askedLine(`${askerLine}Ada (role: admin).\n\nWhat does it cost?`)).toBe("What does it cost?");
});

import { expect, test } from "vitest";
import { saidAnswerIn } from "../../../protocol/agents/said-answers.ts";

test.each([
  ["allow 5f0c8d0e", { question: "5f0c8d0e", decision: "allow" }],
  [" Allow  5f0c8d0e\n", { question: "5f0c8d0e", decision: "allow" }],
  ["/deny 5f0c8d0e", { question: "5f0c8d0e", decision: "deny" }],
  ["always 5f0c8d0e-1", { question: "5f0c8d0e-1", decision: "allow", always: true }],
  ["deny 5f0c8d0e not on\nSundays", { question: "5f0c8d0e", decision: "deny", reason: "not on Sundays" }],
])("%j is an answer", (text, answer) => {
  expect(saidAnswerIn(text)).toEqual(answer);
});

test.each([
  "",
  "allow",
  "allow it",
  "allow 5f0c8d0",
  "allow 5f0c8d0e if it rains",
  "allows 5f0c8d0e",
  "5f0c8d0e allow",
])("%j is for the agent", (text) => {
  expect(saidAnswerIn(text)).toBeNull();
});

import { expect, test } from "vitest";
import { saidOrderIn } from "../../../protocol/agents/said-commands.ts";

test.each([
  ["/new", "new", ""],
  ["/reset", "new", ""],
  ["/Stop ", "stop", ""],
  ["/stop\r\n", "stop", ""],
  ["/status@cortex_bot", "status", ""],
  ["/model", "model", ""],
  ["/model claude-haiku-4-5", "model", "claude-haiku-4-5"],
  ["/model@cortex_bot  openai/gpt-5.5", "model", "openai/gpt-5.5"],
  ["/help", "help", ""],
])("%s is a command", (text, command, argument) => {
  expect(saidOrderIn(text)).toEqual({ command, argument });
});

test.each([
  "",
  "new",
  " /new",
  "/new roses, please",
  "/stop that",
  "/etc/hosts",
  "/dance",
  "/constructor",
  "/model one two",
  "/new\nand then",
  "/new@",
  `/model ${"x".repeat(300)}`,
])("%j is for the agent", (text) => {
  expect(saidOrderIn(text)).toBeNull();
});

/** `npm run demo` shows what it says: also how an agent that lives on sends another one off, and hears of it. */
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";

const demo = fileURLToPath(new URL("../../scripts/demo.ts", import.meta.url));

test("without a key it shows everything from the message to the task's notice and the reply", {
  timeout: 300_000,
}, async () => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
  const { exitCode, stdout, stderr } = await execa(process.execPath, [demo], { env, extendEnv: false, reject: false });
  expect(exitCode, stderr).toBe(0);
  const [, chat = ""] = stdout.split("── 6.");
  const message = chat.indexOf("[channel: cli | id: main] When was the heater installed?");
  const task = chat.indexOf("tool_call    spawn_subagent");
  const notice = chat.search(/system +<system_message origin="task:(\w+)">\[Task \1 completed\]/);
  const reply = chat.lastIndexOf("tool_call    reply");
  expect([message, task, notice, reply].toSorted((a, b) => a - b)).toEqual([message, task, notice, reply]);
  expect(message).toBeGreaterThan(0);
  // The reply itself, as the user sees it.
  expect(chat).toMatch(/^Monday 13 January 2025$/m);
});

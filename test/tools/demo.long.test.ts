/** `npm run demo` shows what it says: also how a long-lived agent sends another one off, and hears of it. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import { temporaryJournal } from "../journal/temporary-journal.ts";
import { processesOf } from "../support/journal-processes.ts";
import { Terminal } from "../support/terminal/terminal.ts";

const demo = fileURLToPath(new URL("../../tools/demo.ts", import.meta.url));

test("the demo without a key shows everything from the message to the task's notice and the reply", {
  timeout: 300_000,
}, async () => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
  const { exitCode, stdout, stderr } = await execa(process.execPath, [demo], { env, extendEnv: false, reject: false });
  expect(exitCode, stderr).toBe(0);
  const [, chat = ""] = stdout.split("── 6.");
  for (const step of stdout.split("\n── ").filter((part) => /^[348]\./.test(part)))
    expect(step.split("\n").filter((line) => line.length > 100)).toEqual([]);
  const message = chat.indexOf("[channel: cli | id: main] When was the heater installed?");
  const task = chat.indexOf("tool_call    spawn_subagent");
  const notice = chat.search(/system +<system_message origin="task:(\w+)">\[Task /);
  const reply = chat.lastIndexOf("tool_call    reply");
  expect([message, task, notice, reply].toSorted((a, b) => a - b)).toEqual([message, task, notice, reply]);
  expect(message).toBeGreaterThan(0);
  const [, thread = ""] = stdout.split("── 7.");
  expect(thread).toContain("From the journal, about decide, greenhouse, heater:");
  expect(thread).toMatch(/^fork \w{8} of "The greenhouse" begins at message/m);
  expect(thread).toContain(
    "resolved, in the thread now:\nCONCLUSION: About 24 euros a month, within the 25 that we allowed.\n\nKEY POINTS:\n- Assistant (AI): ",
  );
  // The reply itself, as the user sees it.
  expect(chat).toMatch(/^Monday 13 January 2025$/m);
});

test.each([
  ["Ctrl-C", (terminal: Terminal) => terminal.type("\u0003")],
  ["a closed terminal", (terminal: Terminal) => terminal.close()],
])("%s ends it without a stack, and leaves no process and no folder", async (_, end) => {
  using folder = temporaryJournal();
  const { PATH = "", HOME = "" } = process.env;
  await using terminal = new Terminal(
    [process.execPath, demo],
    { PATH, HOME, TMPDIR: folder.path, TERM: "xterm" },
    200,
  );
  await terminal.until((text) => text.includes("── 2."), "it has begun");
  end(terminal);
  expect(await terminal.exited).toBe(130);
  expect(terminal.screen.text).not.toMatch(/\n\s+at |Error/);
  expect(readdirSync(folder.path).filter((name) => name.startsWith("cortex-demo-"))).toEqual([]);
  expect(processesOf(folder.path)).toEqual([]);
});

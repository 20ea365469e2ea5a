import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { summaryMessage } from "../../../conversation/summary/summary-message.ts";
import { attemptHistory, chainHistory } from "../../../cortex/plan/history.ts";
import { activeFile, endedFile, runFileFolder } from "../../../journal/runs/run-files.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

const [first, second, third] = ["1736380800001", "1736380800002", "1736380800003"];

function write(journal: string, path: string, id: string, events: EventBody[]): void {
  mkdirSync(runFileFolder(journal, id), { recursive: true });
  writeFileSync(path, "");
  for (const [at, event] of events.entries())
    appendFileSync(path, `${JSON.stringify({ ts: at, agent_id: id, seq: at + 1, ...event })}\n`);
}

const ended = (journal: string, id: string, ...events: EventBody[]) =>
  write(journal, endedFile(journal, id), id, events);
const compacted: EventBody = {
  event: "compacted",
  summary: "Goal: beans.",
  kept: [{ role: "user", text: "second" }],
  tokens_before: 9000,
};
const request = (prompt: string, before?: string): EventBody => ({
  event: "request",
  prompt,
  ...(before !== undefined && { continue_from: before }),
});

test("a chain begins at its newest summary, also where the runs before it are gone", async () => {
  using journal = temporaryJournal();
  ended(journal.path, second, request("second", first), compacted, { event: "finish", result: "In May." });
  ended(journal.path, third, request("third", second), { event: "finish", result: "Yes." });
  expect(await chainHistory(journal.path, third, () => false)).toEqual([
    summaryMessage("Goal: beans."),
    { role: "user", text: "second" },
    { role: "assistant", text: "In May." },
    { role: "user", text: "third" },
    { role: "assistant", text: "Yes." },
  ]);
});

test("a chain without a summary needs all its runs", async () => {
  using journal = temporaryJournal();
  ended(journal.path, second, request("second", first), { event: "finish", result: "In May." });
  await expect(chainHistory(journal.path, second, () => false)).rejects.toThrow("not found");
});

test("a later attempt goes on from the summary of the one before it, without what was said before, and from its pieces", async () => {
  using journal = temporaryJournal();
  const before = [{ role: "user" as const, text: "long ago" }];
  const path = activeFile(journal.path, second);
  write(journal.path, path, second, [request("second"), { event: "text", text: "Half an ans", partial: true }]);
  const half = [
    { role: "user", text: "second" },
    { role: "assistant", text: "Half an ans" },
  ];
  expect(await attemptHistory(journal.path, second, before)).toEqual({
    messages: [...before, ...half],
    hasPrompt: true,
  });
  write(journal.path, path, second, [request("second"), compacted, { event: "text", text: "So." }]);
  const { messages, hasPrompt } = await attemptHistory(journal.path, second, before);
  expect(hasPrompt).toBe(true);
  expect(messages).toEqual([
    summaryMessage("Goal: beans."),
    { role: "user", text: "second" },
    { role: "assistant", text: "So." },
  ]);
});

test("an attempt that came to nothing but the question leaves what was said before", async () => {
  using journal = temporaryJournal();
  write(journal.path, activeFile(journal.path, second), second, [request("second"), { event: "start" }]);
  const before = [{ role: "user" as const, text: "long ago" }];
  expect(await attemptHistory(journal.path, second, before)).toEqual({ messages: before, hasPrompt: false });
});

test("an attempt that came to nothing but the question and what was said meanwhile leaves both", async () => {
  using journal = temporaryJournal();
  const input = { event: "input", id: "a", text: "only May" };
  write(journal.path, activeFile(journal.path, second), second, [request("second"), { event: "start" }, input]);
  expect(await attemptHistory(journal.path, second)).toEqual({
    messages: [
      { role: "user", text: "second" },
      { role: "user", text: "only May" },
    ],
    hasPrompt: true,
  });
});

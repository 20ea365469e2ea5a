import { appendFileSync, linkSync, mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { readRun } from "../../support/read-run.ts";
import { parseEvents } from "../../../journal/chain/event-line.ts";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { agentId, event, line, temporaryJournal } from "../temporary-journal.ts";

test("a run is read in progress and when it has ended; one that isn't there is null", () => {
  using journal = temporaryJournal();
  expect(readRun(journal.path, agentId)).toBe(null);
  const active = activeFile(journal.path, agentId);
  mkdirSync(dirname(active), { recursive: true });
  writeFileSync(active, `${line(1, "request")}\n`);
  expect(readRun(journal.path, agentId)).toEqual({ isActive: true, events: [event(1, "request")] });
  linkSync(active, endedFile(journal.path, agentId));
  expect(readRun(journal.path, agentId)?.isActive).toBe(false);
  unlinkSync(active);
  expect(readRun(journal.path, agentId)).toEqual({ isActive: false, events: [event(1, "request")] });
});

test("a torn last line isn't there yet, and a line that can't be read is passed over", () => {
  using journal = temporaryJournal();
  const active = activeFile(journal.path, agentId);
  mkdirSync(dirname(active), { recursive: true });
  writeFileSync(active, `${line(1, "request")}\n42\n{"event":"text"}\n\n${line(5, "text")}\n`);
  appendFileSync(active, line(6, "finish"));
  expect(readRun(journal.path, agentId)?.events.map(({ seq }) => seq)).toEqual([1, 5]);
});

test("lines end at LF alone", () => {
  expect(parseEvents(Buffer.from(`${line(1, "text", { text: "a\u2028b\rc" })}\n`))).toEqual([
    event(1, "text", { text: "a\u2028b\rc" }),
  ]);
});

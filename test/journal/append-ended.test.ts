import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { appendToEnded } from "../../journal/append-ended.ts";
import { endedFile } from "../../journal/run-files.ts";
import { agentId, event, line, temporaryJournal } from "./temporary-journal.ts";

function appended(text: string): { file: string; seq: number } {
  using journal = temporaryJournal();
  const path = endedFile(journal.path, agentId);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const { seq } = appendToEnded(journal.path, agentId, (next) => event(next, "continue", { to: agentId }));
  return { file: readFileSync(path, "utf8"), seq };
}

const continued = (seq: number) => `${line(seq, "continue", { to: agentId })}\n`;

test("a line is appended with the number that it has in the file", () => {
  const text = `${line(1, "request")}\n${line(2, "finish")}\n`;
  expect(appended(text)).toEqual({ file: text + continued(3), seq: 3 });
  expect(appended("")).toEqual({ file: continued(1), seq: 1 });
});

test("a torn last line gets its LF first, and counts as a line", () => {
  const text = `${line(1, "request")}\n{"event":"fini`;
  expect(appended(text)).toEqual({ file: `${text}\n${continued(3)}`, seq: 3 });
});

test("a run that hasn't ended is an error, and no file is made", () => {
  using journal = temporaryJournal();
  expect(() => appendToEnded(journal.path, agentId, (seq) => event(seq, "continue"))).toThrow("ENOENT");
});

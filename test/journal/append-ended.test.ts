import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { appendToEnded } from "../../journal/ended-runs/append-ended.ts";
import { compressRun } from "../../journal/ended-runs/compressed-run.ts";
import { endedFile } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { agentId, chained, event, temporaryJournal } from "./temporary-journal.ts";

async function appended(text: string): Promise<{ file: string; seq: number }> {
  using journal = temporaryJournal();
  const path = endedFile(journal.path, agentId);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const { seq } = await appendToEnded(journal.path, agentId, (next) => event(next, "continue", { to: agentId }));
  return { file: readFileSync(path, "utf8"), seq };
}

const continued = (...before: AgentEvent[]) =>
  chained([...before, event(before.length + 1, "continue", { to: agentId })]).at(-1);

test("a line is appended with the number that it has in the file, and the hash of the line before", async () => {
  const before = [event(1, "request"), event(2, "finish")];
  const text = `${chained(before).join("\n")}\n`;
  expect(await appended(text)).toEqual({ file: `${text}${continued(...before)}\n`, seq: 3 });
  expect(await appended("")).toEqual({ file: `${continued()}\n`, seq: 1 });
});

test("a line is never earlier than the one before it, whatever clock it comes from", async () => {
  const before = [event(1, "request"), { ...event(2, "finish"), ts: event(2, "finish").ts + 5000 }];
  const { file } = await appended(`${chained(before).join("\n")}\n`);
  const times = file
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as AgentEvent).ts);
  expect(times).toEqual([...before.map(({ ts }) => ts), before.at(-1)?.ts]);
});

test("a torn last line is cut, so that the file stays whole", async () => {
  const before = [event(1, "request"), event(2, "finish")];
  const text = `${chained(before).join("\n")}\n`;
  expect(await appended(`${text}{"event":"conti`)).toEqual({ file: `${text}${continued(...before)}\n`, seq: 3 });
});

test("a compressed file becomes plain again", async () => {
  using journal = temporaryJournal();
  const path = endedFile(journal.path, agentId);
  const before = [event(1, "request"), event(2, "finish")];
  const text = `${chained(before).join("\n")}\n`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  await compressRun(journal.path, agentId);
  expect(existsSync(path)).toBe(false);
  await appendToEnded(journal.path, agentId, (seq) => event(seq, "continue", { to: agentId }));
  expect(readFileSync(path, "utf8")).toBe(`${text}${continued(...before)}\n`);
  expect(readdirSync(dirname(path))).toEqual([`${agentId}.jsonl`]);
});

test("a run that hasn't ended is an error, and no file is made", async () => {
  using journal = temporaryJournal();
  await expect(appendToEnded(journal.path, agentId, (seq) => event(seq, "continue"))).rejects.toThrow("ENOENT");
});

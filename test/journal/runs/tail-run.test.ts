import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { activeFile } from "../../../journal/runs/run-files.ts";
import { commitRun, RunLog } from "../../../journal/runs/run-log.ts";
import { tailRun } from "../../../journal/runs/tail-run.ts";
import { agentId, line, temporaryJournal } from "../temporary-journal.ts";

test("a run is followed from its first line over its renaming to its last, nothing lost and nothing twice", async () => {
  using journal = temporaryJournal();
  const log = RunLog.claim(journal.path, agentId);
  if (!log) throw new Error("not claimed");
  await log.append([line(1, "request")]);
  const tails = [tailRun(journal.path, agentId), tailRun(journal.path, agentId)];
  const heard = tails.map(async (tail) => {
    const numbers: number[] = [];
    for await (const { event } of tail) numbers.push(event.seq);
    return numbers;
  });
  for (let seq = 2; seq <= 500; seq++) {
    await log.append([line(seq, "text", { text: "é".repeat(seq) })]);
    if (seq % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await log.close();
  const numbers = Array.from({ length: 500 }, (_, index) => index + 1);
  expect(await Promise.all(heard)).toEqual([numbers, numbers]);
});

test("half a line is not a line until the rest of it has come", async () => {
  using journal = temporaryJournal();
  const log = RunLog.claim(journal.path, agentId);
  await log?.release();
  const text = line(1, "request", { prompt: "é" });
  const bytes = Buffer.from(`${text}\n`);
  const at = bytes.indexOf(0xc3) + 1; // within a character
  appendFileSync(activeFile(journal.path, agentId), bytes.subarray(0, at));
  const tail = tailRun(journal.path, agentId);
  const next = tail.next();
  setImmediate(() => appendFileSync(activeFile(journal.path, agentId), bytes.subarray(at)));
  expect((await next).value?.line).toBe(text);
  commitRun(journal.path, agentId);
  expect((await tail.next()).done).toBe(true);
});

test("a run that waits is waited for", async () => {
  using journal = temporaryJournal();
  const tail = tailRun(journal.path, agentId);
  const next = tail.next();
  const log = RunLog.claim(journal.path, agentId);
  await log?.append([line(1, "request")]);
  expect((await next).value?.event.event).toBe("request");
  await log?.close();
  expect((await tail.next()).done).toBe(true);
});

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { appendToEnded } from "../../journal/ended-runs/append-ended.ts";
import { compressRun } from "../../journal/ended-runs/compressed-run.ts";
import { takePruneLock } from "../../journal/ended-runs/ended-lock.ts";
import { listRuns } from "../../journal/runs/list-runs.ts";
import { writeLiveStatus } from "../../journal/programs/live-status.ts";
import { readRun } from "../support/read-run.ts";
import { pruneRuns, PruningError } from "../../journal/retention/retention.ts";
import { activeFile, compressedFile, endedFile, prunedFile, runState } from "../../journal/runs/run-files.ts";
import { makeRunFolder } from "../../journal/run-folders/run-folder.ts";
import { RunLog } from "../../journal/runs/run-log.ts";
import { keepSecret } from "../../journal/run-folders/run-secrets.ts";
import { tailRun } from "../../journal/runs/tail-run.ts";
import { verifyRun } from "../../journal/ended-runs/verify-run.ts";
import { type EventBody, isTerminal } from "../../protocol/runs/event.ts";
import { chained, temporaryJournal } from "./temporary-journal.ts";

const dayMs = 86_400_000;
const now = Date.now();
const ago = (days: number, more = 0) => String(now - days * dayMs + more);

/** An ended run, as old as its id. */
function ended(journal: string, id: string, ...after: EventBody[]): string {
  const bodies: EventBody[] = [{ event: "request", prompt: "hello é" }, { event: "finish", result: "done" }, ...after];
  const events = bodies.map((body, at) => ({ ...body, ts: Number(id) + at, agent_id: id, seq: at + 1 }));
  const text = `${chained(events).join("\n")}\n`;
  mkdirSync(dirname(endedFile(journal, id)), { recursive: true });
  writeFileSync(endedFile(journal, id), text);
  makeOld(endedFile(journal, id), id);
  return text;
}

const makeOld = (path: string, id: string) => utimesSync(path, Number(id) / 1000, Number(id) / 1000);
const goesOn = (to: string) => ({ event: "continue", to });
const handsOff = (to: string) => ({ event: "handoff", to });
const ids = (runs: { agent_id: string }[]) => runs.map(({ agent_id }) => agent_id);

test("an old file is compressed so that zcat reads it, and everything that reads runs still does", async () => {
  using journal = temporaryJournal();
  const [old, young] = [ago(40), ago(20)];
  const text = ended(journal.path, old);
  ended(journal.path, young);
  const report = await pruneRuns(journal.path, { compress_after_days: 30 });
  expect(ids(report.compressed)).toEqual([old]);
  expect([report.deleted, report.kept, report.failed]).toEqual([[], [], []]);
  const packed = compressedFile(journal.path, old);
  expect(execFileSync("zcat", [packed], { encoding: "utf8" })).toBe(text);
  expect(readdirSync(dirname(packed))).toEqual([`${old}.jsonl.gz`]);
  expect(Math.round(statSync(packed).mtimeMs)).toBe(Number(old));
  expect(runState(journal.path, old)).toBe("ended");
  expect(RunLog.claim(journal.path, old)).toBe(null);
  expect(readRun(journal.path, old)?.events).toHaveLength(2);
  expect((await listRuns(journal.path, 9)).map(({ agent_id, state }) => [agent_id, state])).toEqual([
    [young, "finished"],
    [old, "finished"],
  ]);
  const lines: string[] = [];
  for await (const { line } of tailRun(journal.path, old)) lines.push(line);
  expect(`${lines.join("\n")}\n`).toBe(text);
  expect(await verifyRun(packed, old)).toMatchObject({ state: "intact", lines: 2 });
  expect((await pruneRuns(journal.path, { compress_after_days: 30 })).compressed).toEqual([]);
});

test("an older file is deleted, compressed or not; its id stays taken", async () => {
  using journal = temporaryJournal();
  const [older, old] = [ago(100), ago(100, 1)];
  ended(journal.path, older);
  ended(journal.path, old);
  await compressRun(journal.path, old);
  const preview = await pruneRuns(journal.path, { delete_after_days: 90, dryRun: true });
  expect(ids(preview.deleted)).toEqual([old, older]);
  expect(runState(journal.path, old)).toBe("ended");
  expect(existsSync(prunedFile(journal.path, old))).toBe(false);
  const report = await pruneRuns(journal.path, { delete_after_days: 90, compress_after_days: 30 });
  expect([ids(report.deleted), report.compressed]).toEqual([[old, older], []]);
  expect(readdirSync(dirname(endedFile(journal.path, old)))).toEqual(["pruned.jsonl"]);
  for (const id of [old, older]) {
    expect(runState(journal.path, id)).toBe("ended");
    expect(RunLog.claim(journal.path, id)).toBe(null);
    expect(readRun(journal.path, id)).toBe(null);
    for await (const _ of tailRun(journal.path, id)) throw new Error("there is nothing to follow");
  }
  expect(runState(journal.path, ago(100, 2))).toBe("absent");
  expect(await listRuns(journal.path, 9)).toEqual([]);
});

test("a run that is active, not finalized, being closed or without a terminal event is kept, however old", async () => {
  using journal = temporaryJournal();
  const [active, owed, closing] = [ago(100), ago(100, 1), ago(100, 2)];
  const [wordless, handing] = [ago(100, 3), ago(100, 4)];
  for (const id of [active, owed, closing, wordless, handing]) ended(journal.path, id);
  linkSync(endedFile(journal.path, active), activeFile(journal.path, active));
  rmSync(endedFile(journal.path, active));
  makeRunFolder(journal.path, owed);
  linkSync(endedFile(journal.path, closing), activeFile(journal.path, closing));
  writeFileSync(endedFile(journal.path, wordless), "");
  makeOld(endedFile(journal.path, wordless), wordless);
  await keepSecret(journal.path, handing, "child", {}); // all that is left of a pending finalization, when .run/ was deleted
  for (const options of [{ delete_after_days: 1 }, { compress_after_days: 1 }]) {
    const report = await pruneRuns(journal.path, options);
    expect([report.deleted, report.compressed, report.failed]).toEqual([[], [], []]);
    expect(ids(report.kept)).toEqual([handing, wordless, closing, owed]);
  }
  expect(existsSync(activeFile(journal.path, active))).toBe(true);
});

test("a run from which one goes on that is still there stays; the chain goes when its last run is old", async () => {
  using journal = temporaryJournal();
  const [first, second, third] = [ago(100), ago(99), ago(50)];
  ended(journal.path, first, goesOn(second));
  ended(journal.path, second, goesOn(third));
  ended(journal.path, third);
  const report = await pruneRuns(journal.path, { delete_after_days: 90 });
  expect(report.kept).toEqual([
    { agent_id: second, reason: `${third} goes on from it` },
    { agent_id: first, reason: `${second} goes on from it` },
  ]);
  expect(ids((await pruneRuns(journal.path, { delete_after_days: 50 })).deleted)).toEqual([third, second, first]);
});

test("a run from which a waiting request goes on stays", async () => {
  using journal = temporaryJournal();
  const [source, waiting] = [ago(100), ago(0)];
  ended(journal.path, source);
  const what = { agent_id: waiting, persona: "default", backend: "offline", prompt: "x", continue_from: source };
  await writeLiveStatus(journal.path, {
    worker: "w",
    running: [],
    queued: 1,
    capacity: 1,
    pid: process.pid,
    waiting: [what],
  });
  expect((await pruneRuns(journal.path, { delete_after_days: 90 })).kept).toEqual([
    { agent_id: source, reason: `${waiting}, which waits, goes on from it` },
  ]);
});

test("the runs of a chain of handoffs stay until the last has ended", async () => {
  using journal = temporaryJournal();
  const [first, second, third] = [ago(100), ago(100, 1), ago(100, 2)];
  ended(journal.path, first, handsOff(second));
  ended(journal.path, second, handsOff(third));
  const both = [second, first].map((agent_id) => ({
    agent_id,
    reason: `${third}, to which it handed off, hasn't ended`,
  }));
  expect((await pruneRuns(journal.path, { delete_after_days: 90 })).kept).toEqual(both);
  ended(journal.path, third);
  linkSync(endedFile(journal.path, third), activeFile(journal.path, third));
  rmSync(endedFile(journal.path, third));
  expect((await pruneRuns(journal.path, { delete_after_days: 90 })).kept).toEqual(both);
  linkSync(activeFile(journal.path, third), endedFile(journal.path, third));
  rmSync(activeFile(journal.path, third));
  expect(ids((await pruneRuns(journal.path, { delete_after_days: 90 })).deleted)).toEqual([third, second, first]);
});

test("an old id is not an old run: what was written lately counts", async () => {
  using journal = temporaryJournal();
  const id = ago(100);
  ended(journal.path, id);
  utimesSync(endedFile(journal.path, id), now / 1000, now / 1000);
  expect(await pruneRuns(journal.path, { delete_after_days: 90, compress_after_days: 1 })).toEqual({
    compressed: [],
    deleted: [],
    kept: [],
    failed: [],
    attachments: { deleted: [] },
  });
});

test("a file half packed or unpacked by a killed process is removed a day later", async () => {
  using journal = temporaryJournal();
  const id = ago(3);
  ended(journal.path, id);
  const plain = endedFile(journal.path, id);
  writeFileSync(join(dirname(dirname(plain)), "20010101"), "no folder");
  for (const name of [`${plain}.${randomUUID()}.tmp`, `${plain}.gz.tmp`]) {
    writeFileSync(name, "half");
    utimesSync(name, now / 1000 - 2 * 86_400, now / 1000 - 2 * 86_400);
  }
  const fresh = `${plain}.${randomUUID()}.tmp`;
  const own = join(dirname(plain), "mine.tmp");
  for (const path of [fresh, own]) writeFileSync(path, "");
  utimesSync(own, 0, 0);
  await pruneRuns(journal.path, { delete_after_days: 90, dryRun: true });
  expect(readdirSync(dirname(plain))).toHaveLength(5);
  await pruneRuns(journal.path, { delete_after_days: 90 });
  expect(readdirSync(dirname(plain)).toSorted()).toEqual([plain, fresh, own].map((path) => basename(path)).toSorted());
});

test("whatever a crash left behind, the run is whole and the next pruning completes it", async () => {
  using journal = temporaryJournal();
  const id = ago(100);
  const text = ended(journal.path, id);
  const plain = endedFile(journal.path, id);
  // A half-written temporary file; then both files, of which the plain one has been appended to.
  writeFileSync(`${compressedFile(journal.path, id)}.tmp`, "half");
  await compressRun(journal.path, id);
  writeFileSync(plain, text);
  await appendToEnded(journal.path, id, (seq) => ({ event: "continue", ts: now, agent_id: id, seq, to: ago(0) }));
  makeOld(plain, id);
  expect(readRun(journal.path, id)?.events).toHaveLength(3);
  expect(await listRuns(journal.path, 9)).toHaveLength(1);
  await pruneRuns(journal.path, { compress_after_days: 30 });
  expect(readdirSync(dirname(plain))).toEqual([`${id}.jsonl.gz`]);
  expect(readRun(journal.path, id)?.events).toHaveLength(3);
  // Written down as deleted, and not yet gone; the line after it torn.
  writeFileSync(plain, text);
  makeOld(plain, id);
  appendFileSync(prunedFile(journal.path, id), `{"agent_id":"${id}","ts":1}\n{"agent`);
  expect(readRun(journal.path, id)?.events.some(isTerminal)).toBe(true);
  await pruneRuns(journal.path, { delete_after_days: 30 });
  expect(readdirSync(dirname(plain))).toEqual(["pruned.jsonl"]);
  const other = ago(100, 1);
  ended(journal.path, other);
  await pruneRuns(journal.path, { delete_after_days: 30 });
  expect(readFileSync(prunedFile(journal.path, id), "utf8").split("\n")).toEqual([
    `{"agent_id":"${id}","ts":1}`,
    '{"agent',
    expect.stringContaining(other),
    "",
  ]);
});

test("a line that is appended while a file is being compressed isn't lost", async () => {
  using journal = temporaryJournal();
  const id = ago(100);
  ended(journal.path, id);
  const compressing = compressRun(journal.path, id);
  await appendToEnded(journal.path, id, (seq) => ({ event: "continue", ts: now, agent_id: id, seq, to: ago(0) }));
  await compressing;
  const names = readdirSync(dirname(endedFile(journal.path, id)));
  expect(names).toHaveLength(1);
  expect(await verifyRun(join(dirname(endedFile(journal.path, id)), names[0] ?? ""), id)).toMatchObject({
    state: "intact",
    lines: 3,
  });
});

test("two don't prune one journal at a time", async () => {
  using journal = temporaryJournal();
  using _lock = takePruneLock(journal.path);
  await expect(pruneRuns(journal.path, { delete_after_days: 1 })).rejects.toThrow(PruningError);
});

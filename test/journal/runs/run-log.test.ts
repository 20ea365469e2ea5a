import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { activeFile, endedFile, runState } from "../../../journal/runs/run-files.ts";
import { commits } from "../../../files/writing/group-commit.ts";
import { commitRun, RunLog } from "../../../journal/runs/run-log.ts";
import { patienceMs } from "../../support/patience.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { agentId, event, line, temporaryJournal } from "../temporary-journal.ts";

const textOf = (path: string) => readFileSync(path, "utf8");

test("an id is claimed once, and what was claimed can't be claimed again when it has ended", async () => {
  using journal = temporaryJournal();
  const log = RunLog.claim(journal.path, agentId);
  expect(RunLog.claim(journal.path, agentId)).toBe(null);
  expect(runState(journal.path, agentId)).toBe("active");
  await log?.append([line(1, "request")]);
  await log?.close();
  expect(runState(journal.path, agentId)).toBe("ended");
  expect(RunLog.claim(journal.path, agentId)).toBe(null);
  expect(textOf(endedFile(journal.path, agentId))).toBe(`${line(1, "request")}\n`);
  expect(existsSync(activeFile(journal.path, agentId))).toBe(false);
});

test("one of several processes that claim an id at the same time gets it", async () => {
  using journal = temporaryJournal();
  const module = fileURLToPath(new URL("../../../journal/runs/run-log.ts", import.meta.url));
  const ids = Array.from({ length: 50 }, (_, index) => String(Number(agentId) + index));
  const script = `
    import { RunLog } from ${JSON.stringify(module)};
    process.stdin.once("data", () => {
      const mine = ${JSON.stringify(ids)}.filter((id) => RunLog.claim(${JSON.stringify(journal.path)}, id));
      console.log(JSON.stringify(mine));
      process.exit();
    });
    console.log("ready");`;
  const claimants = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(claimants.map(({ stdout }) => once(stdout, "data")));
  const answers = claimants.map(({ stdout }) => once(stdout, "data"));
  for (const { stdin } of claimants) stdin.end("go\n");
  const claimed = (await Promise.all(answers)).flatMap(([text]) => JSON.parse(String(text)) as string[]);
  expect(claimed.toSorted()).toEqual(ids);
});

test("lines are numbered on, and appended whole", async () => {
  using journal = temporaryJournal();
  const log = RunLog.claim(journal.path, agentId);
  if (!log) throw new Error("not claimed");
  expect(log.nextSeq).toBe(1);
  await log.append([line(1, "request")]);
  await log.append([line(2, "start"), line(3, "text", { text: "a\u2028b\nc" })]);
  expect(log.nextSeq).toBe(4);
  await log.release();
  const resumed = await resume(journal.path);
  expect(resumed.log.nextSeq).toBe(4);
  expect(resumed.events).toEqual([event(1, "request"), event(2, "start"), event(3, "text", { text: "a\u2028b\nc" })]);
  await resumed.log.release();
});

test("wherever the last line is torn, it is cut, and what follows begins on a line of its own", async () => {
  using journal = temporaryJournal();
  const path = activeFile(journal.path, agentId);
  mkdirSync(dirname(path), { recursive: true });
  const kept = `${line(1, "request")}\n${line(2, "start")}\n`;
  const last = `${line(3, "text", { text: "é€😀" })}\n`;
  const bytes = Buffer.from(last);
  for (let torn = 0; torn <= bytes.length; torn++) {
    writeFileSync(path, Buffer.concat([Buffer.from(kept), bytes.subarray(0, torn)]));
    const isWhole = torn === bytes.length;
    const { log, events } = await resume(journal.path);
    expect(events).toHaveLength(isWhole ? 3 : 2);
    expect(log.nextSeq).toBe(isWhole ? 4 : 3);
    await log.append([line(log.nextSeq, "adopted")]);
    await log.release();
    expect(textOf(path)).toBe(`${kept}${isWhole ? last : ""}${line(isWhole ? 4 : 3, "adopted")}\n`);
  }
});

test.each([
  // The first time with the folders in which the file's name is new: its day's, the days' and the journal.
  ["safe", [4, 0, 1, 0, 3]],
  ["fast", [0, 0, 0, 0, 3]],
] as const)(
  "%s: what is on the disk when the first line, another, the terminal event and the file's end are said",
  async (durability, expected) => {
    using journal = temporaryJournal();
    const lasting = vi.spyOn(commits, "lasting");
    onTestFinished(() => lasting.mockRestore());
    const committed: number[] = [];
    const count = async (work: () => Promise<void> | undefined) => {
      lasting.mockClear();
      await work();
      committed.push(lasting.mock.calls.length);
    };
    const log = RunLog.claim(journal.path, agentId, durability);
    await count(() => log?.append(["one"]));
    await count(() => log?.append(["two"]));
    await count(() => log?.append(["three"], true));
    await count(() => log?.append(["four"]));
    await count(() => log?.close());
    expect(committed).toEqual(expected);
    expect(textOf(endedFile(journal.path, agentId))).toBe("one\ntwo\nthree\nfour\n");
    expect(existsSync(activeFile(journal.path, agentId))).toBe(false);
  },
);

test("lasting writes are acknowledged when they are on the disk: the first line, the terminal event, the file's end", async () => {
  using journal = temporaryJournal();
  const lasting = vi.spyOn(commits, "lasting");
  onTestFinished(() => lasting.mockRestore());
  const log = RunLog.claim(journal.path, agentId);
  for (const work of [() => log?.append(["one"]), () => log?.append(["two"], true), () => log?.close()]) {
    const disk = Promise.withResolvers<void>();
    lasting.mockClear().mockReturnValue(disk.promise);
    let isSaid = false;
    const working = work()?.then(() => (isSaid = true));
    await vi.waitUntil(() => lasting.mock.calls.length > 0, { timeout: patienceMs, interval: 1 });
    await breath();
    expect(isSaid).toBe(false);
    disk.resolve();
    await working;
  }
});

test("a file that was torn before its first line ended is resumed empty", async () => {
  using journal = temporaryJournal();
  const path = activeFile(journal.path, agentId);
  mkdirSync(dirname(path), { recursive: true });
  for (const text of ["", '{"event":"requ']) {
    writeFileSync(path, text);
    const { log, events } = await resume(journal.path);
    expect([log.nextSeq, events]).toEqual([1, []]);
    await log.release();
    expect(statSync(path).size).toBe(0);
  }
});

test("a line that can't be read keeps its number", async () => {
  using journal = temporaryJournal();
  const path = activeFile(journal.path, agentId);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${line(1, "request")}\nno event\n${line(3, "text")}\n`);
  const { log, events } = await resume(journal.path);
  expect([log.nextSeq, events.length]).toEqual([4, 2]);
  await log.release();
});

test("a file that has ended is never replaced", async () => {
  using journal = temporaryJournal();
  const log = RunLog.claim(journal.path, agentId);
  await log?.append([line(1, "request", { prompt: "mine" })]);
  writeFileSync(endedFile(journal.path, agentId), "somebody else's\n");
  await log?.close();
  expect(textOf(endedFile(journal.path, agentId))).toBe("somebody else's\n");
});

test("a crash between the two steps of closing is completed by closing again", async () => {
  using journal = temporaryJournal();
  const log = RunLog.claim(journal.path, agentId);
  await log?.append([line(1, "request")]);
  await log?.release();
  linkSync(activeFile(journal.path, agentId), endedFile(journal.path, agentId));
  expect(runState(journal.path, agentId)).toBe("ended");
  commitRun(journal.path, agentId);
  commitRun(journal.path, agentId);
  expect(existsSync(activeFile(journal.path, agentId))).toBe(false);
  expect(textOf(endedFile(journal.path, agentId))).toBe(`${line(1, "request")}\n`);
  appendFileSync(endedFile(journal.path, agentId), "more\n");
  expect(statSync(endedFile(journal.path, agentId)).nlink).toBe(1);
});

async function resume(journal: string) {
  const events: AgentEvent[] = [];
  const log = await RunLog.resume(journal, agentId, "safe", (said) => events.push(said));
  return { log, events };
}

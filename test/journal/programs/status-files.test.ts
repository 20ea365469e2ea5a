import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type BusStore, writeBusStore } from "../../../journal/access/bus-store.ts";
import { type LiveStatus, readLiveStatus, writeLiveStatus } from "../../../journal/programs/live-status.ts";
import { runtime } from "../../../journal/config/paths.ts";
import {
  shownPrograms,
  shownStatus,
  shownStoreProblem,
  shownWorkspaceProblem,
} from "../../../journal/programs/status-files.ts";
import { readSupervised, type ProgramStatus, writeSupervised } from "../../../journal/programs/supervised.ts";
import { writeWorkspaceState } from "../../../journal/programs/workspace-state.ts";
import { agentId, temporaryJournal } from "../temporary-journal.ts";

const identity = { pid: 7, boot: "b", start: "1" };
const program: ProgramStatus = {
  name: "cortex",
  state: "ready",
  identity,
  nonce: null,
  makeup: null,
  started_at: 1,
  restarts: 0,
  since: 1_736_380_800_000,
  reason: null,
  deaths: [],
  streak: 0,
  has_failed: false,
  not_before: 0,
};
const run = {
  agent_id: agentId,
  persona: "p",
  backend: "b",
  elapsed_seconds: 1,
  attempt: 1,
  state: "running",
  since: 1,
};
const worker = { worker: "w", labels: ["a"], capacity: 2 };
const status: LiveStatus = {
  worker: "w",
  queued: 1,
  capacity: 2,
  pid: 1,
  running: [run],
  workers: [worker],
  waiting: [],
};
const store: BusStore = { version: null, synced_by: "nobody", problem: "no chattr" };

test("the programs' records are understood", async () => {
  using journal = temporaryJournal();
  await writeSupervised(journal.path, { supervisor: identity, programs: [program, { ...program, identity: null }] });
  await writeLiveStatus(journal.path, status);
  await writeBusStore(journal.path, store);
  expect(shownPrograms(journal.path)).toEqual(readSupervised(journal.path));
  const { running, workers, capacity } = readLiveStatus(journal.path)!;
  expect(shownStatus(journal.path)).toEqual({ running, workers, waiting: 0, capacity });
  expect(shownStoreProblem(journal.path).problem).toBe("no chattr");
  await writeWorkspaceState(journal.path, { database: "workspace.db", problem: "it is away" });
  expect(shownWorkspaceProblem(journal.path)).toBe("it is away");
  await writeWorkspaceState(journal.path, { database: "workspace.db", problem: null });
  expect(shownWorkspaceProblem(journal.path)).toBeNull();
  const { workers: _, ...alone } = status;
  await writeLiveStatus(journal.path, alone);
  expect(shownStatus(journal.path)?.workers).toEqual([]);
});

const wrongPrograms: [why: string, wrong: unknown][] = [
  ["no program", 7],
  ["a name that is none", { ...program, name: 7 }],
  ["no state", { ...program, state: undefined }],
  ["no pid", { ...program, identity: { ...identity, pid: 0 } }],
  ["half a process", { ...program, identity: { pid: 7 } }],
  ["restarts by halves", { ...program, restarts: 0.5 }],
  ["no time", { ...program, since: "now" }],
  ["a reason that is none", { ...program, reason: {} }],
];
test.each(wrongPrograms)("%s: nothing is shown, as nothing is read", (_, wrong) => {
  using journal = temporaryJournal();
  writeFileSync(runtime(journal.path, "supervisor.json"), JSON.stringify({ supervisor: identity, programs: [wrong] }));
  expect(shownPrograms(journal.path)).toBeNull();
  expect(readSupervised(journal.path)).toBeNull();
});

const wrongStatuses: [why: string, wrong: Record<string, unknown>][] = [
  ["an id that leads elsewhere", { running: [{ ...run, agent_id: "../../../etc" }] }],
  ["an id that ends in a line's end", { running: [{ ...run, agent_id: `${agentId}\n` }] }],
  ["an attempt that leads elsewhere", { running: [{ ...run, attempt: "../1" }] }],
  ["runs that are none", { running: [null] }],
  ["no list of runs", { running: {} }],
  ["no time", { running: [{ ...run, since: null }] }],
  ["labels that are none", { workers: [{ ...worker, labels: [7] }] }],
  ["no capacity", { capacity: "2" }],
  ["nothing that waits", { waiting: 7 }],
];
test.each(wrongStatuses)("%s: no run is shown, as none is read", (_, wrong) => {
  using journal = temporaryJournal();
  writeFileSync(runtime(journal.path, "status.json"), JSON.stringify({ ...status, ...wrong }));
  expect(shownStatus(journal.path)).toBeNull();
  expect(readLiveStatus(journal.path)).toBeNull();
});

test.each(["", "garbage", "[]", "null", "7", '{"supervisor":'])("a file that holds %j is none", (text) => {
  using journal = temporaryJournal();
  for (const name of ["supervisor.json", "status.json", "bus-store.json"])
    writeFileSync(runtime(journal.path, name), text);
  expect(shownPrograms(journal.path)).toBeNull();
  expect(shownStatus(journal.path)).toBeNull();
  expect(shownStoreProblem(journal.path).problem).toBeNull();
});

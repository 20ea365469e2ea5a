/** How the machine is, told over HTTP: its programs, what is wrong, and the commands that fix it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeSettingsProblem, keepSettings } from "../../../../journal/config/kept-settings.ts";
import { makePrivateFolders } from "../../../../journal/config/paths.ts";
import { type ProgramStatus, readSupervised, writeSupervised } from "../../../../journal/programs/supervised.ts";
import type { Health, Now } from "../../../../web/machine/records/machine-records.ts";
import { logOf } from "../../../../proc/logging/log.ts";
import { identifyProcess } from "../../../../proc/processes/identity.ts";
import { openMachine } from "../../../../web/machine/machine.ts";
import { patienceMs } from "../../../support/patience.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { type MachineSystem, startMachine, timeZone } from "../machine-system.ts";

let machine: MachineSystem;
beforeAll(async () => {
  machine = await startMachine({ settings: fixtureAgents("scripted") });
});
afterAll(() => machine[Symbol.asyncDispose]());

const get = <T>(path: string) => machine.api.owner.get<T>(path);

/** A journal whose supervisor is this test. */
async function supervisedJournal() {
  const folder = mkdtempSync(join(tmpdir(), "cortex-health-"));
  makePrivateFolders(folder);
  const supervisor = identifyProcess(process.pid);
  if (!supervisor) throw new Error("this process isn't there");
  const { bus } = machine.system;
  const base = { journal: folder, bus, settings: () => ({}), timeZone: "UTC", store: null, log: logOf("test") };
  const opened = openMachine(base);
  const program: ProgramStatus = {
    name: "cortex",
    state: "ready",
    identity: supervisor,
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
  return {
    opened,
    program,
    write: (programs: ProgramStatus[]) => writeSupervised(folder, { supervisor, programs }),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test("the programs are told as their supervisor has them, and each change as it comes", async () => {
  await using journal = await supervisedJournal();
  const { program, opened } = journal;
  await journal.write([program]);
  const ready = { name: "cortex", state: "ready", pid: process.pid, restarts: 0, reason: null };
  expect(opened.health.programs()).toMatchObject([ready]);
  const heardOf = opened.events.listen(null, AbortSignal.timeout(patienceMs))[Symbol.asyncIterator]();
  const broken = { ...program, name: "channel-telegram", state: "failed", identity: null, reason: "no token" } as const;
  await journal.write([program, broken]);
  const problem = {
    program: "channel-telegram",
    state: "failed",
    reason: "no token",
    command: "cortex logs channel-telegram",
  };
  expect((await heardOf.next()).value).toMatchObject({ event: "program.changed", data: { state: "failed" } });
  expect((await heardOf.next()).value).toMatchObject({ event: "health.changed", data: { problems: [problem] } });
  expect((await opened.now.get()).health).toEqual([problem]);
  await journal.write([{ ...program, identity: { pid: process.pid, boot: "another", start: "another life" } }]);
  expect((await heardOf.next()).value).toMatchObject({ data: { name: "cortex", state: "stopped", pid: null } });
  await heardOf.return?.(undefined);
});

test("settings that can't be used are told with the command that says why, until they are mended", async () => {
  const { journal } = machine.system;
  const problemsNow = async () => (await get<Now>("/now")).health.map(({ state, command }) => [state, command]);
  writeSettingsProblem(journal, "cortex.json: max_concurent: unknown");
  expect(await problemsNow()).toEqual([["settings", "cortex config check"]]);
  const { position } = await get<Now>("/now");
  keepSettings(journal, "{}");
  expect(await problemsNow()).toEqual([]);
  expect(position).not.toBe("");
});

test("the whole is told with its places, its journal and its version, and a supervisor that has gone is a problem", async () => {
  const { journal } = machine.system;
  const health = await get<Health>("/health");
  expect(health).toMatchObject({ journal, time_zone: timeZone, running: 0, queued: 0 });
  expect(health.version).toMatch(/^\d+\.\d+\.\d+/);
  const supervised = readSupervised(journal);
  if (!supervised) throw new Error("nothing is supervised");
  await writeSupervised(journal, { ...supervised, supervisor: { ...supervised.supervisor, start: "another life" } });
  const alone = await get<Health>("/health");
  expect(alone.programs).toMatchObject([{ name: "nats-server", state: "unsupervised" }]);
  expect(alone.problems[0]).toMatchObject({ program: null, state: "unsupervised", command: "cortex up" });
  await writeSupervised(journal, supervised);
});

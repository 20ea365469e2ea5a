/** A journal with a real bus and a real cortex, and real schedulers whose clock the test moves. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBus } from "../../../bus/connection/connect.ts";
import { type HistoryEntry, ScheduleLedger } from "../../../bus/schedule/schedule-ledger.ts";
import { readBusAccess } from "../../../journal/access/endpoints.ts";
import { runFiles } from "../../../journal/runs/list-runs.ts";
import { readRun } from "../../support/read-run.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";

const projectFile = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** One that ends at once, a slower one, one that ends only when it is told to, one that fails, one that has nothing to say. */
const shell = (script: string) => ({ command: ["sh", "-c", `read -r line; ${script}`] });
const backends = {
  quick: shell(`echo '{"event":"finish","result":"done"}'`),
  slow: shell(`sleep 0.1; echo '{"event":"finish","result":"done"}'`),
  endless: shell("read -r cancelled"),
  failing: shell(`echo '{"event":"error","error":"no","reason":"provider"}'`),
  silent: shell(`echo '{"event":"finish","result":" "}'`),
};

/** A run as the journal tells it: what it was asked, and from when to when. */
export type ScheduledRun = { name: string; began: number; ended: number; request: Record<string, unknown> };

export class ScheduleJournal implements AsyncDisposable {
  readonly system: CortexSystem;
  readonly timeZone: string;
  readonly #schedulers: ChildProcess[] = [];
  readonly #clock: string;

  private constructor(system: CortexSystem, timeZone: string, now: string) {
    this.system = system;
    this.timeZone = timeZone;
    this.#clock = join(system.journal, ".run", "clock");
    this.moveTo(now);
  }

  /**
   * @param personas their settings, each a name
   * @param now what the schedulers' clock shows, in UTC
   */
  static async start(
    timeZone: string,
    now: string,
    personas: Record<string, Record<string, unknown>>,
    { files = {}, settings = {} }: { files?: Record<string, string>; settings?: Settings } = {},
  ): Promise<ScheduleJournal> {
    const all = { ...files };
    for (const [name, own] of Object.entries(personas)) {
      all[`personas/${name}.txt`] = "Do it.";
      all[`personas/${name}.json`] = JSON.stringify({ backend: "quick", ...own });
    }
    const system = await CortexSystem.start({
      settings: { default_backend: "quick", backends, ...settings },
      files: all,
    });
    return new ScheduleJournal(system, timeZone, now);
  }

  get journal(): string {
    return this.system.journal;
  }

  /** Moves the clock, and has every scheduler that is ready look at it: one that starts does so anyway. */
  moveTo(utc: string): void {
    writeFileSync(`${this.#clock}.new`, String(Date.parse(`${utc}Z`) - Date.now()));
    renameSync(`${this.#clock}.new`, this.#clock);
    for (const scheduler of this.#schedulers) scheduler.kill("SIGHUP");
  }

  get environment(): Record<string, string> {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.journal,
      JOURNAL_PATH: this.journal,
      CORTEX_TZ: this.timeZone,
      MOVED_CLOCK: this.#clock,
    };
  }

  /** Starts a scheduler; resolves when it is ready. */
  async startScheduler(): Promise<ChildProcess> {
    const args = ["--import", projectFile("test/support/moved-clock.ts"), projectFile("bin/start.js")];
    const child = spawn(process.execPath, [...args, "supervisor/schedule/main"], {
      env: this.environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let log = "";
    child.stderr.on("data", (data: Buffer) => (log += data.toString()));
    // Not by its record: there is one, and they are several.
    await this.system.until(() => {
      if (child.exitCode !== null) throw new Error(`the scheduler exited with ${child.exitCode}:\n${log}`);
      return log.includes('"msg":"ready"');
    }, "the scheduler is ready");
    this.#schedulers.push(child);
    return child;
  }

  async stopScheduler(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.#schedulers.splice(this.#schedulers.indexOf(child), 1);
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, "exit");
    child.kill(signal);
    child.kill("SIGCONT"); // it may be asleep
    await exited;
    return child.exitCode;
  }

  /** The runs that have ended, in the order in which they began. */
  runs(): ScheduledRun[] {
    const runs: ScheduledRun[] = [];
    for (const { agentId } of runFiles(this.journal)) {
      const events = readRun(this.journal, agentId)?.events ?? [];
      const [request, last] = [events.find(({ event }) => event === "request"), events.find(isTerminal)];
      if (!request || !last) continue;
      const { day, persona, facet } = request as { day?: string; persona?: string; facet?: string };
      const name = [day, persona, facet].filter((part) => part !== undefined).join(" ");
      runs.push({ name, began: events[1]?.ts ?? 0, ended: last.ts, request });
    }
    return runs.toSorted((a, b) => a.began - b.began);
  }

  async names(count: number, ms = patienceMs): Promise<string[]> {
    await this.system.until(() => this.runs().length >= count, `${count} runs have ended`, ms);
    return this.runs().map(({ name }) => name);
  }

  /** Lists what the ledger knows, as lines. */
  async history(): Promise<string[]> {
    const access = readBusAccess(this.journal);
    await using bus = await openBus(
      { url: access?.url ?? "", user: "schedule", password: access?.passwords["schedule"] },
      "schedule",
      patienceMs,
    );
    const ledger = await ScheduleLedger.open(bus);
    return (await ledger.history(await ledger.known())).flatMap(linesOf).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let left = this.#schedulers.at(-1); left; left = this.#schedulers.at(-1)) await this.stopScheduler(left);
    await this.system[Symbol.asyncDispose]();
  }
}

function linesOf(entry: HistoryEntry): string[] {
  const { day, time, persona } = entry.unit;
  const name = `${day} ${time === "night" ? "" : `${time} `}${persona}`;
  if ("group" in entry)
    return entry.group.skipped.map(({ facet, reason }) => `${name}${facet === null ? "" : ` ${facet}`}: ${reason}`);
  const { state, attempts, reason } = entry.record;
  const facet = entry.unit.facet === null ? "" : ` ${entry.unit.facet}`;
  return [`${name}${facet}: ${state} ${attempts}${reason === undefined ? "" : ` ${reason}`}`];
}

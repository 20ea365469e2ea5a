/** Runs of the shim in a temporary folder, for one test. Disposing of it fails when a process was left behind. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beatRunsFolder, liveRunsFolder } from "../../../journal/run-folders/run-folder.ts";
import { findIsolation, type Isolation } from "../../../proc/runs/isolation.ts";
import { exitOfRun } from "../../../proc/runs/exit-fifo.ts";
import { agentOf, type Exit, exitOf, prepareRun, type RunCommand, startRun, sweepRun } from "../../../proc/runs/run.ts";
import { signalIfThere } from "../../support/journal-processes.ts";
import { patienceMs } from "../../support/patience.ts";

const found = await findIsolation();

/** The isolations that this system has, the least last. */
export const isolations: Isolation[] = [
  ...(found.level === "pidns" ? [found] : []),
  { ...found, level: "group", namespace: [], countsTasks: false },
];

export class ShimRuns implements AsyncDisposable {
  readonly #journal = mkdtempSync(join(tmpdir(), "cortex-shim-"));
  readonly #isolation: Isolation;
  /** The mark of each run, by its folder, which is needed when the folder is gone. */
  readonly #marks = new Map<string, string>();

  constructor(isolation: Isolation) {
    this.#isolation = isolation;
    this.beat();
  }

  /** Watches over the runs from now on: the heartbeat's time lies ahead, so that no stall of ours is silence. */
  beat(): void {
    beatRunsFolder(this.#journal);
    const ahead = Date.now() / 1000 + 86_400;
    utimesSync(join(liveRunsFolder(this.#journal), "heartbeat"), ahead, ahead);
  }

  /** Nobody watches over them any more. */
  fallSilent(): void {
    beatRunsFolder(this.#journal); // for the last time
  }

  /** A folder that is ready for its first line. */
  async prepare(): Promise<string> {
    const folder = join(this.#journal, ".run/runs", String(this.#marks.size + 1), "1");
    mkdirSync(folder, { recursive: true });
    await prepareRun(folder);
    this.#marks.set(folder, `CORTEX_RUN=${readFileSync(join(folder, "nonce"), "utf8").trim()}`);
    return folder;
  }

  async start(command: string[], folder?: string, options: Partial<RunCommand> = {}): Promise<string> {
    const where = folder ?? (await this.prepare());
    await startRun(where, {
      command,
      env: { PATH: process.env["PATH"] ?? "" },
      workFolder: this.#journal,
      isolation: this.#isolation,
      orphanGraceSeconds: 60,
      stopGraceSeconds: 1,
      limits: {},
      ...options,
    });
    return where;
  }

  sh(script: string, options: Partial<RunCommand> = {}): Promise<string> {
    return this.start(["/bin/sh", "-c", script], undefined, options);
  }

  /** Waits until nothing of a run is left. */
  async ended(folder: string): Promise<Exit> {
    await exitOfRun(folder, new AbortController().signal);
    return exitOf(folder);
  }

  /** Waits until the agent has been born. */
  born(folder: string) {
    return until(() => agentOf(folder), "the agent's identity");
  }

  said(folder: string, text: string) {
    return until(() => readFileSync(join(folder, "out"), "utf8").includes(text), `"${text}" in the output`);
  }

  /** Waits until no process of a run is left. */
  empty(folder: string) {
    return until(
      () => this.#processesOf(folder).length === 0,
      () => `no process: ${JSON.stringify(this.#processesOf(folder))}`,
    );
  }

  #processesOf(folder: string) {
    return processesOf(folder, this.#marks.get(folder) ?? "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.fallSilent();
    try {
      for (const folder of this.#marks.keys()) await this.empty(folder);
    } finally {
      for (const folder of this.#marks.keys()) {
        for (const { pid } of this.#processesOf(folder)) signalIfThere(pid, "SIGKILL");
        await sweepRun(folder);
      }
      rmSync(this.#journal, { recursive: true, force: true });
    }
  }
}

export async function until<T>(ask: () => T, what: string | (() => string)): Promise<NonNullable<Exclude<T, false>>> {
  for (const end = performance.now() + patienceMs; ; await delay(5)) {
    const answer = ask();
    if (answer) return answer as NonNullable<Exclude<T, false>>;
    if (performance.now() > end)
      throw new Error(`not within ${patienceMs} ms: ${typeof what === "string" ? what : what()}`);
  }
}

/** The processes that carry a run's mark, or stand in its folder, be it deleted. */
function processesOf(folder: string, mark: string): { pid: number; command: string }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const isZombie = /\) Z /.test(readFileSync(`/proc/${name}/stat`, "utf8"));
      const isMarked = readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(mark);
      const isInside = readlinkSync(`/proc/${name}/cwd`).replace(/ \(deleted\)$/, "") === folder;
      if (isZombie || !(isMarked || isInside)) return [];
      return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ") }];
    } catch {
      return [];
    }
  });
}

export function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Small programs for a supervisor: shell scripts that misbehave in one way, on a journal of the test's own. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { readSupervised, type ProgramStatus } from "../../journal/programs/supervised.ts";
import { logOf } from "../../proc/logging/log.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import type { Program } from "../../supervisor/programs/program.ts";
import { Supervisor } from "../../supervisor/supervisor.ts";
import { leftOf } from "../support/journal-processes.ts";
import { patienceMs } from "../support/patience.ts";

/** Serves until it is told to go. */
export const serve = "ready; exec sleep 600";

/** A script that is ready once it has said `ready`; `$HERE` is the journal. */
export function shellProgram(journal: string, name: string, script: string, more: Partial<Program> = {}): Program {
  const noted = join(journal, `${name}.pid`);
  return {
    name,
    needs: [],
    launch: async () => ({
      command: ["/bin/sh", "-c", `echo $$ >>"$HERE/${name}.births"; ${ready(name)}; ${script}`],
      env: { PATH: process.env["PATH"], HERE: journal },
    }),
    fingerprint: async () => script,
    isReady: async ({ pid }) => existsSync(noted) && readFileSync(noted, "utf8") === `${pid}\n`,
    isResponsive: async () => true,
    askedEveryMs: 50,
    stopSignal: "SIGTERM",
    yieldSignal: "SIGTERM",
    stopGraceMs: () => 300,
    rereads: false,
    ...more,
  };
}

const ready = (name: string) => `ready() { echo $$ >"$HERE/${name}.pid"; }`;

export class ShellJournal implements AsyncDisposable {
  readonly path: string;
  readonly events: SupervisorEvent[] = [];
  /** Told at once, within the step of the program's life. */
  onEvent: (event: SupervisorEvent) => void = () => {};
  readonly #supervisors: Supervisor[] = [];

  /** @param parent where its folder is made */
  constructor(parent = tmpdir()) {
    this.path = mkdtempSync(join(parent, "cortex-supervisor-"));
    makePrivateFolders(this.path);
  }

  /** A supervisor of these programs. */
  supervise(...programs: Program[]): Supervisor {
    const log = logOf("test");
    log.level = process.env["CORTEX_LOG_LEVEL"] ?? "silent";
    const tell = (event: SupervisorEvent) => {
      this.events.push(event);
      this.onEvent(event);
    };
    const supervisor = new Supervisor({ journal: this.path, programs, log, onEvent: tell });
    this.#supervisors.push(supervisor);
    return supervisor;
  }

  /** Reads what is written down of a program. */
  program(name: string): ProgramStatus | undefined {
    return readSupervised(this.path)?.programs.find((known) => known.name === name);
  }

  pidOf(name: string): number {
    return Number(this.text(`${name}.pid`));
  }

  /** How often a program was started. */
  births(name: string): number {
    return this.text(`${name}.births`).split("\n").length - 1;
  }

  text(file: string): string {
    return existsSync(join(this.path, file)) ? readFileSync(join(this.path, file), "utf8") : "";
  }

  told(program: string): string[] {
    return this.events.filter((event) => event.program === program).map(({ event }) => event);
  }

  async until<T>(ask: () => T, what: string): Promise<NonNullable<Exclude<T, false>>> {
    for (const end = performance.now() + patienceMs; ; await delay(5)) {
      const answer = ask();
      if (answer) return answer as NonNullable<Exclude<T, false>>;
      if (performance.now() > end)
        throw new Error(`not within ${patienceMs} ms: ${what}\n${JSON.stringify(this.events.slice(-8))}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const last = this.#supervisors.at(-1);
    await last?.stop(true);
    const left = await leftOf(this.path);
    const files = readdirSync(this.path);
    rmSync(this.path, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left running: ${JSON.stringify(left)}, ${files.join(" ")}`);
  }
}

/** A cortex that is killed and comes back, for tests of what becomes of its runs meanwhile. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import { exitOf } from "../../../proc/runs/run.ts";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents, movedClock } from "../../support/cortex-system.ts";

/** Says two things, waits to be told, and finishes. */
const patient = `read -r l; echo '{"event":"text","text":"one é"}'; echo '{"event":"text","text":"two"}'; read -r l; echo '{"event":"finish","result":"done"}'`;

export const text = (words: string) => ({ ev: { event: "text", text: words } });
export const finish = { ev: { event: "finish", result: "done" } };
export const names = (events: AgentEvent[]) => events.map(({ event }) => event);

export class AdoptedRuns implements AsyncDisposable {
  readonly system: CortexSystem;
  readonly clock: ReturnType<typeof movedClock>;

  private constructor(system: CortexSystem, clock: ReturnType<typeof movedClock>) {
    this.system = system;
    this.clock = clock;
  }

  static async start(): Promise<AdoptedRuns> {
    const { backends } = fixtureAgents("scripted", "forever", "late-finish", "lingers-after-finish");
    const clock = movedClock();
    const system = await CortexSystem.start({
      env: clock.env,
      settings: {
        max_concurrent: 100,
        default_backend: "scripted",
        backends: { ...backends, patient: { command: ["sh", "-c", patient] } },
      },
      files: { ".run/programs/mcp-tools.json": JSON.stringify({ pid: 1, url: "http://127.0.0.1:9/mcp" }) },
    });
    return new AdoptedRuns(system, clock);
  }

  /** A file that an agent waits for, or that it touches. */
  flag(name: string): string {
    return join(this.system.journal, `flag-${name}`);
  }

  raise(name: string): void {
    writeFileSync(this.flag(name), "");
  }

  folderOf(id: string): string {
    return attemptFolder(this.system.journal, id, 1);
  }

  isGone(id: string): boolean {
    return exitOf(this.folderOf(id)).code !== null;
  }

  /** Each line once, in order, the same on the bus, one terminal event. */
  async whole(id: string): Promise<AgentEvent[]> {
    const file = await this.system.settled(id);
    expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
    expect(await this.system.stored(id)).toEqual(file);
    expect(file.filter(isTerminal)).toHaveLength(1);
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.system[Symbol.asyncDispose]();
    this.clock[Symbol.dispose]();
  }
}

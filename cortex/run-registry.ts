/** The runs at work on this worker, those that are being started, and what is said to each before it has a process. */
import type { Logger } from "../proc/logging/log.ts";
import type { GrantAnswer, GrantRequest } from "../protocol/runs/request/grant.ts";
import type { NoticeAnswer, PermissionNotice } from "../protocol/runs/request/permission-notice.ts";
import type { MeteringAnswer, MeteringNotice } from "../protocol/runs/metering.ts";
import { PendingControls } from "./intake/pending-controls.ts";
import type { LiveRun } from "./lifecycle/live-run.ts";
import { addInput } from "./model/input-bounds.ts";
import type { MachineInput } from "./model/run-state.ts";

export type RegistryDeps = {
  log: Logger;
  /** Hears of a run that has come to its end here. */
  onEnd: (run: LiveRun) => void;
  /** Hears that there is room for one more. */
  onRoom: () => void;
};

export class RunRegistry {
  readonly #deps: RegistryDeps;
  readonly #runs = new Map<string, LiveRun>();
  /** Ids that are being started, with what was said to them meanwhile. */
  readonly #starting = new Map<string, MachineInput[]>();
  /** The controls of requests before they arrived here, or while they wait. */
  readonly pending = new PendingControls();
  #onIdle = () => {};

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  get runs(): LiveRun[] {
    return [...this.#runs.values()];
  }

  /** The ids of all that is at work or being started. */
  get ids(): string[] {
    return [...this.#runs.keys(), ...this.#starting.keys()];
  }

  /** How many are at work or being started. */
  get size(): number {
    return this.#runs.size + this.#starting.size;
  }

  /** How many of them don't wait for a person. */
  get busy(): number {
    return this.size - this.runs.filter(({ isForPerson }) => isForPerson).length;
  }

  get(agentId: string): LiveRun | undefined {
    return this.#runs.get(agentId);
  }

  has(agentId: string): boolean {
    return this.#runs.has(agentId) || this.#starting.has(agentId);
  }

  isStarting(agentId: string): boolean {
    return this.#starting.has(agentId);
  }

  /** Lists the inputs to a run since its start began. */
  saidMeanwhile(agentId: string): readonly MachineInput[] {
    return this.#starting.get(agentId) ?? [];
  }

  /**
   * Counts a run as being started while the work lasts.
   * @param inputs what it is told once it is at work
   */
  async whileStarting(agentId: string, inputs: MachineInput[], work: () => Promise<void>): Promise<void> {
    this.#starting.set(agentId, inputs);
    try {
      await work();
    } finally {
      this.#starting.delete(agentId);
      this.#freed();
    }
  }

  /** Follows a run to its end. @param go what takes it there */
  takeUp(run: LiveRun, go: () => Promise<void>): void {
    this.#runs.set(run.agentId, run);
    void this.#follow(run, go());
    for (const input of this.saidMeanwhile(run.agentId)) void run.step(input);
  }

  async #follow(run: LiveRun, end: Promise<void>): Promise<void> {
    try {
      await end;
      this.#deps.onEnd(run);
    } catch (error) {
      this.#deps.log.error({ agent_id: run.agentId, err: error }, "a run couldn't be followed");
    } finally {
      this.#runs.delete(run.agentId);
      this.#freed();
    }
  }

  #freed(): void {
    this.#deps.onRoom();
    this.#checkIdle();
  }

  /** Tells a run something: at once, once it is started, or once its request has arrived. */
  tellRun(agentId: string, input: MachineInput): void {
    const run = this.#runs.get(agentId);
    const beingStarted = this.#starting.get(agentId);
    if (run) void run.step(input);
    else if (beingStarted) addInput(beingStarted, input);
    else this.pending.keep(agentId, input);
  }

  /** Gives a share of a run's limits to somebody whom it sends off. Null: it isn't at work here. */
  async grant(agentId: string, request: GrantRequest): Promise<GrantAnswer | null> {
    return (await this.#runs.get(agentId)?.grant(request)) ?? null;
  }

  async permission(agentId: string, notice: PermissionNotice): Promise<NoticeAnswer | null> {
    const run = this.#runs.get(agentId);
    const answer = (await run?.permission(notice)) ?? null;
    if (run?.isForPerson) this.#deps.onRoom();
    return answer;
  }

  /** Answers the gateway about a model call of a run. Null: the run isn't at work here. */
  async metering(agentId: string, notice: MeteringNotice): Promise<MeteringAnswer | null> {
    for (const call of notice.event === "begin" ? notice.others : [])
      this.#runs.get(call.agent_id)?.keepCall(call, notice.gateway);
    return (await this.#runs.get(agentId)?.metering(notice)) ?? null;
  }

  /** Resolves when nothing is at work, and nothing is being started. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#checkIdle();
    });
  }

  #checkIdle(): void {
    if (this.size === 0) this.#onIdle();
  }
}

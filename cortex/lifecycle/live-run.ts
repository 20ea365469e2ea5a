/** A run in progress: put together of its parts, and taken from where its file stands to its end. */
import type { GrantAnswer, GrantRequest } from "../../protocol/runs/request/grant.ts";
import type { NoticeAnswer, PermissionNotice } from "../../protocol/runs/request/permission-notice.ts";
import type { CallUnderWay, MeteringAnswer, MeteringNotice } from "../../protocol/runs/metering.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import type { RunSoFar } from "../limits/run-so-far.ts";
import { type MachineInput, leaveMs, type Run, type Stop, type StopReason } from "../model/run-state.ts";
import type { RunWriter } from "../output/run-writer.ts";
import type { Plan } from "../plan/merge.ts";
import type { RunRecord } from "../plan/run-record.ts";
import { Attempt } from "../attempts/attempt.ts";
import { AttemptLimits } from "../attempts/attempt-limits.ts";
import { carryOut } from "./effects.ts";
import type { RunContext } from "../run-scope/run-context.ts";
import { Metering } from "../attempts/metering.ts";
import { PermissionNotices } from "../attempts/permission-notices.ts";
import { RunInputs } from "../run-scope/run-inputs.ts";
import { RunMachine } from "../run-scope/run-machine.ts";
import { RunScope } from "../run-scope/run-scope.ts";

/** The facts that a run begins with. @field soFar what its file says already */
export type RunBeginning = { plan: Plan; record: RunRecord; history: Message[]; soFar: RunSoFar };

export class LiveRun {
  readonly agentId: string;
  readonly plan: Plan;
  readonly #machine: RunMachine;
  readonly #scope: RunScope;
  readonly #limits: AttemptLimits;
  readonly #metering: Metering;
  readonly #attempt: Attempt;
  readonly #inputs: RunInputs;
  readonly #permissions: PermissionNotices;

  constructor(context: RunContext, writer: RunWriter, beginning: RunBeginning) {
    this.agentId = writer.agentId;
    this.plan = beginning.plan;
    this.#machine = new RunMachine(this.agentId, firstState(beginning), context, (effect) =>
      carryOut(effect, {
        scope: this.#scope,
        limits: this.#limits,
        attempt: this.#attempt,
        metering: this.#metering,
      }),
    );
    this.#scope = new RunScope(context, this.#machine, writer, beginning);
    this.#limits = new AttemptLimits(this.#scope);
    this.#metering = new Metering(this.#scope, this.#limits);
    this.#attempt = new Attempt(this.#scope, this.#limits, this.#metering, beginning.history);
    this.#inputs = new RunInputs(this.#scope);
    this.#permissions = new PermissionNotices(this.#scope, this.#limits);
  }

  get state(): Run["state"] {
    return this.#machine.run.state;
  }

  /** The number of its attempt, from 1. */
  get attempt(): number {
    return this.#machine.run.attempt;
  }

  /** Whether it waits for a person. */
  get isForPerson(): boolean {
    return this.#scope.budget.waits.isOpen;
  }

  /** When its attempt began, in ms. */
  get started(): number {
    return this.#scope.record.started;
  }

  get elapsedSeconds(): number {
    return Math.max(0, this.#scope.now - this.started) / 1000;
  }

  /** Runs it from the start to its end. Resolves when nothing is pending, or when it was suspended. */
  async start(): Promise<void> {
    await this.#attempt.launch();
    await this.#attempt.follow();
  }

  /**
   * Takes up a run of a cortex that died: from where its file stands.
   * @param isAlive whether its process still lives
   */
  async adopt(isAlive: boolean): Promise<void> {
    const { terminal, folder, context } = this.#scope;
    const { worker } = context.host;
    // That cortex may have died between a line for the process and the ring that says so.
    if (isAlive) await this.#scope.ifPossible(() => context.processes.wakeFeeder(folder));
    await this.#machine.inTurn(async () => {
      await this.#attempt.output.resume();
      const stop = this.#recordedStop();
      await this.#machine.apply({ type: "adopted", worker, isAlive, hasEnded: terminal !== null, stop });
    });
    // What was said while nobody listened counts, whatever the clocks say by now.
    await this.#machine.inTurn(() => this.#attempt.output.readWhatIsThere());
    await this.#goOnOrEnd(isAlive);
    await this.#attempt.follow();
  }

  /** Lets a run that was taken up go on, or end as it was about to. */
  async #goOnOrEnd(isAlive: boolean): Promise<void> {
    if (this.state === "running") {
      await this.#machine.inTurn(async () => {
        await this.#limits.checkBudget();
        // One that has ended by itself has a while to be found so, whatever its wall clock says.
        if (this.state !== "running") return;
        this.#limits.start(isAlive ? 0 : leaveMs);
        if (isAlive) await this.#attempt.giveMissingInputs();
      });
    } else this.#machine.armStepTimer(this.#leftToLeave());
  }

  /** The grace left after the terminal event; tolerates clock changes. */
  #leftToLeave(): number {
    const { terminal, now } = this.#scope;
    return terminal ? Math.min(leaveMs, Math.max(0, terminal.ts + leaveMs - now)) : 0;
  }

  /** Why the cortex before this one had begun to stop it. */
  #recordedStop(): Stop | null {
    const recorded = this.#scope.context.processes.stopReason(this.#scope.folder);
    if (recorded === null || recorded === "orphaned") return null;
    const reason = recorded as StopReason;
    const limit = reason === "budget" ? this.#scope.budget.reached() : null;
    return { reason, error: limit ?? stopErrors[reason] ?? `stopped: ${reason}` };
  }

  /**
   * Does what is left of a run whose process is gone: save, handoff, the file's final name.
   * @param isHandedOn whether what it hands on was decided before its terminal event was written, on this host
   */
  finishOnly(isHandedOn: boolean): Promise<void> {
    return this.#machine.step({ type: "finishOnly", isHandedOn });
  }

  /** Gives an input to the table and carries out what follows. */
  step(input: MachineInput): Promise<void> {
    return input.type === "input" ? this.#inputs.step(input) : this.#machine.step(input);
  }

  /**
   * Gives a share of what is left of its limits to somebody whom it sends off; under the same id only once.
   * Null: it isn't at work yet.
   */
  async grant(request: GrantRequest): Promise<GrantAnswer | null> {
    let answer: GrantAnswer | null = null;
    await this.#machine.inTurn(async () => {
      answer = await this.#grant(request);
    });
    return answer;
  }

  async #grant(request: GrantRequest): Promise<GrantAnswer | null> {
    const { budget, record } = this.#scope;
    // What it used before it asked counts, and may not have been read yet.
    if (this.state === "running") await this.#attempt.output.readWhatIsThere();
    if (this.state === "starting") return null;
    if (this.state !== "running") return { ok: false, error: "the run is over" };
    const grant = budget.suballocate(request, record);
    if ("spent" in grant) return { ok: false, error: `${grant.spent} is exhausted` };
    const { limits, isNew } = grant;
    if (isNew && Object.keys(limits).length > 0)
      await this.#scope.writeOwn({ event: "granted", id: request.id, limits });
    this.#limits.shortenWall();
    return { ok: true, limits };
  }

  /** Takes what is told of a question about one of its calls. Null: it isn't at work yet. */
  async permission(notice: PermissionNotice): Promise<NoticeAnswer | null> {
    let answer: NoticeAnswer | null = null;
    await this.#machine.inTurn(async () => {
      // The call that it is about stands before it.
      if (this.state === "running") await this.#attempt.output.readWhatIsThere();
      answer = await this.#permissions.takeNotice(notice);
    });
    return answer;
  }

  /** Answers what the gateway asks and tells of the run's model calls. */
  async metering(notice: MeteringNotice): Promise<MeteringAnswer> {
    return notice.event === "begin" ? this.#metering.begin(notice) : this.#metering.end(notice);
  }

  /** Sets a model call of the run aside that was allowed by a cortex before this one. */
  keepCall(call: CallUnderWay, gateway: string): void {
    if (this.state === "running") this.#metering.keep(call, gateway);
  }

  /** The bus was away: what it missed goes out before anything else does. */
  fallBehind(): void {
    this.#scope.writer.fallBehind();
  }

  /** Publishes from the file the lines that the bus missed. */
  catchUp(): void {
    void this.#machine.inTurn(() => this.#scope.writer.catchUp());
  }

  /** Kills at once whatever is left. */
  kill(): void {
    this.#scope.context.processes.signal(this.#scope.folder, "SIGKILL");
  }
}

const stopErrors: Partial<Record<StopReason, string>> = {
  shutdown: "stopped with cortex",
  loop: "it repeated itself, and nobody could be asked",
  internal: "disk full: what it printed could be lost",
};

const firstState = ({ plan, record, soFar }: RunBeginning): Run => ({
  state: "starting",
  hasStart: soFar.hasStarted(record.attempt),
  stop: null,
  step: "none",
  attempt: record.attempt,
  lost: record.lost,
  maxAttempts: plan.limits.max_attempts,
});

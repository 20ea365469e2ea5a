/** Holds a run's state, which changes by its table alone: one input after the other, with the effects of each. */
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Clock } from "../model/clock.ts";
import { nextRun } from "../model/run-state-machine.ts";
import type { Effect, MachineInput, Run } from "../model/run-state.ts";

/** No process of the run is left to be followed here. */
const over: ReadonlySet<Run["state"]> = new Set(["closing", "closed", "suspended", "fenced"]);

type CarryOut = (effect: Effect) => Promise<void>;

type MachineDeps = { clock: Clock; log: Logger; onChange: () => void };

export class RunMachine {
  readonly #agentId: string;
  readonly #deps: MachineDeps;
  readonly #carryOut: CarryOut;
  #run: Run;
  readonly #queue = new SerialQueue();
  #stepTimer: Disposable | undefined;

  constructor(agentId: string, run: Run, deps: MachineDeps, carryOut: CarryOut) {
    this.#agentId = agentId;
    this.#run = run;
    this.#deps = deps;
    this.#carryOut = carryOut;
  }

  get run(): Readonly<Run> {
    return this.#run;
  }

  get isOver(): boolean {
    return over.has(this.#run.state);
  }

  /** Gives an input to the table when its turn comes, and carries out what follows. */
  step(input: MachineInput): Promise<void> {
    return this.inTurn(() => this.apply(input));
  }

  /** Does one thing after the other: the file has one writer, and the table takes one input at a time. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#queue.run(work);
    turn.catch((error: unknown) => {
      this.#deps.log.error({ agent_id: this.#agentId, err: error }, "a step of a run failed");
    });
    return turn;
  }

  /** Resolves when all steps that wait for their turn are done. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /**
   * Gives an input to the table, in a turn that has begun.
   * @param beforeEach called before each effect
   */
  async apply(input: MachineInput, beforeEach?: (effect: Effect) => void): Promise<void> {
    const { log, onChange } = this.#deps;
    const before = this.#run.state;
    const { run, effects, skipped } = nextRun(this.#run, input);
    this.#run = run;
    if (run.state !== before) onChange();
    const transition = { agent_id: this.#agentId, from: before, input: input.type, to: run.state };
    if (skipped === "impossible") log.error(transition, "an input came that can't come in this state: nothing is done");
    else log.debug(skipped ? { ...transition, skipped } : transition, "transition");
    for (const effect of effects) {
      beforeEach?.(effect);
      await this.#carryOut(effect);
    }
  }

  /** The next step of the run's end comes after so much time. */
  armStepTimer(ms: number): void {
    this.disarmStepTimer();
    this.#stepTimer = this.#deps.clock.later(ms, () => void this.step({ type: "stepTimer" }));
  }

  disarmStepTimer(): void {
    this.#stepTimer?.[Symbol.dispose]();
  }
}

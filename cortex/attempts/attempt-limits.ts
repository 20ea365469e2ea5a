/** Watches over an attempt: its clocks, what it uses, what it takes of the machine, the disk of its output. */
import { wallTasks } from "../../sandbox/wall-tasks.ts";
import type { Exceeded } from "../limits/resource-watch.ts";
import { type Limit, RunClocks } from "../limits/clocks.ts";
import type { RunScope } from "../run-scope/run-scope.ts";

export class AttemptLimits {
  readonly #scope: RunScope;
  #clocks: RunClocks | null = null;
  #resourceWatch: Disposable | null = null;
  #diskWatch: Disposable | null = null;
  /** Why what it printed since can't be trusted to be all. */
  #diskFull: string | null = null;

  constructor(scope: RunScope) {
    this.#scope = scope;
  }

  /** @param leastMs how much of the wall clock is left at least */
  start(leastMs = 0): void {
    const { plan, budget, record, machine, context, folder, resources } = this.#scope;
    const { idle_timeout_seconds } = plan.limits;
    const wallMs = Math.max(leastMs, budget.wallClock(record).ms);
    this.stop();
    const onLimit = (limit: Limit) => {
      const isWall = limit === "timeout";
      const { reason, error } = isWall ? budget.wallClock(this.#scope.record) : silence(idle_timeout_seconds);
      void machine.step({ type: "stop", reason, error });
    };
    // One that waits for a person has time: what is left is looked at when the clocks go on.
    const leftMs = budget.waits.isOpen ? Math.max(1, wallMs) : wallMs;
    this.#clocks = new RunClocks(leftMs, idle_timeout_seconds * 1000, onLimit, context.clock);
    this.followWaits();
    this.#diskWatch = context.host.diskWatch.over({
      onFull: (error) => this.#stopOnFullDisk(error),
      mayWrite: () => context.processes.mayLive(folder),
    });
    const onExceeded = (exceeded: Exceeded) => void machine.step({ type: "stop", reason: "budget", ...exceeded });
    this.#resourceWatch = context.host.resourceWatch.over(folder, resources, onExceeded, plan.wall ? wallTasks : 0);
  }

  stop(): void {
    this.#clocks?.[Symbol.dispose]();
    this.#clocks = null;
    this.#resourceWatch?.[Symbol.dispose]();
    this.#resourceWatch = null;
    this.#diskWatch?.[Symbol.dispose]();
    this.#diskWatch = null;
  }

  /** The agent said something. */
  heard(): void {
    this.#clocks?.heard();
  }

  /** The clocks stand still as long as a person is waited for. */
  followWaits(): void {
    const { budget, record } = this.#scope;
    if (budget.waits.isOpen) this.#clocks?.pause();
    else this.#clocks?.resume(budget.wallClock(record).ms);
  }

  /** Shortens the wall clock by the time that the run gave away. */
  shortenWall(): void {
    const { budget, record } = this.#scope;
    this.#clocks?.setWall(budget.wallClock(record).ms);
  }

  /** Stops a run that has used up a limit. To be called in turn. */
  async checkBudget(): Promise<void> {
    const { machine, budget } = this.#scope;
    const caveat = machine.run.state === "running" ? budget.takeCaveat() : null;
    if (caveat !== null) await this.#scope.writeOwn({ event: "info", message: caveat });
    const error = budget.reached();
    if (error !== null) await machine.apply({ type: "stop", reason: "budget", error });
  }

  /** Stops a run where others have used what all may use together. */
  checkDay(): void {
    const error = this.#scope.budget.dayIsOver();
    if (error !== null) void this.#scope.machine.step({ type: "stop", reason: "budget", error });
  }

  /** Stops a run whose disk was full: an end of its own doesn't count then. To be called in turn. */
  async checkDisk(): Promise<void> {
    const { machine, context } = this.#scope;
    if (machine.run.state !== "running") return;
    context.host.diskWatch.checkSpace();
    if (this.#diskFull !== null)
      await machine.apply({ type: "stop", reason: "internal", error: this.#diskFull, atOnce: true });
  }

  /** Kills it at once, whatever its file waits for: what it would print now would be lost. */
  #stopOnFullDisk(error: string): void {
    const { machine, folder, context } = this.#scope;
    const { processes } = context;
    this.#diskFull = error;
    if (machine.run.state !== "running") return;
    void this.#scope.ifPossible(() => processes.recordStop(folder, "internal"));
    processes.signal(folder, "SIGKILL");
    void machine.inTurn(() => this.checkDisk());
  }
}

const silence = (seconds: number) =>
  ({ reason: "idle", error: `said nothing for idle_timeout_seconds, ${seconds} s` }) as const;

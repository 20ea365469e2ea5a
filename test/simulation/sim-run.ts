/** A run in the simulation: the real table, and what cortex/lifecycle (effects.ts, attempt.ts, finish.ts) does of it, in the same order. */
import { next } from "../../cortex/model/run-state-machine.ts";
import type { Effect, Input, Run } from "../../cortex/model/run-state.ts";
import type { SimRequest } from "./bus.ts";
import type { SimEvent } from "./host.ts";
import { isLast, type SimCortex } from "./sim-cortex.ts";

export const maxAttempts = 3;

export class SimRun {
  readonly agentId: string;
  readonly file: SimEvent[];
  isBehind: boolean;
  readonly #cortex: SimCortex;
  #request: SimRequest | null = null;
  #run: Run;
  #consumed = 0;
  #isGone = false;
  #isOver = false;
  #losses: number;
  #turn: Promise<void> = Promise.resolve();

  constructor(cortex: SimCortex, agentId: string, isBehind: boolean) {
    this.#cortex = cortex;
    this.agentId = agentId;
    this.isBehind = isBehind;
    this.#losses = cortex.losses;
    this.file = cortex.host.disk(agentId).file ?? [];
    this.#run = { state: "starting", hasStart: false, stop: null, step: "none", attempt: 1, lost: 0, maxAttempts };
  }

  get state(): Run["state"] {
    return this.#run.state;
  }

  get #disk() {
    return this.#cortex.host.disk(this.agentId);
  }

  get #attempt() {
    return this.#cortex.host.attempt(this.agentId, this.#run.attempt);
  }

  /** What stands on the disk says where it is. */
  begin(request: SimRequest): void {
    this.#request = request;
    const { attempt = 1, lost = 0 } = this.#disk.record ?? {};
    const hasStart = this.file.some((event) => event.name === "start" && event.attempt === attempt);
    this.#run = { ...this.#run, attempt, lost, hasStart };
  }

  start(): Promise<void> {
    return this.#launch();
  }

  async adopt(): Promise<void> {
    const { isStarted, stop } = this.#attempt;
    if (!isStarted || !this.#cortex.world.rules.startedMarker)
      return this.file.some(isLast) ? this.finishOnly(true) : this.#launch();
    this.#consumed = Math.max(
      0,
      ...this.file.map(({ attempt, line }) => (attempt === this.#run.attempt && line !== null ? line + 1 : 0)),
    );
    const isStopped = stop !== null && stop !== "orphaned";
    await this.step({
      type: "adopted",
      worker: this.#cortex.host.name,
      isAlive: false,
      hasEnded: this.file.some(isLast),
      stop: isStopped ? { reason: "cancelled", error: "cancelled" } : null,
    });
    await this.look();
  }

  /** What is left of a run whose process is gone. */
  finishOnly(isHandedOn: boolean): Promise<void> {
    return this.step({ type: "finishOnly", isHandedOn });
  }

  step(input: Input): Promise<void> {
    return this.#do(() => this.#apply(input));
  }

  catchUp(): Promise<void> {
    return this.#do(() => this.#catchUp());
  }

  /** Reads what its agent has said, and whether it is gone. */
  look(): Promise<void> {
    return this.#do(async () => {
      const { attempt } = this.#run;
      for (let line = this.#attempt.out[this.#consumed]; line; line = this.#attempt.out[this.#consumed]) {
        if (this.#run.state === "fenced" || this.#run.state === "closed") return;
        const number = this.#consumed++;
        if (this.#run.state === "draining" || this.#run.state === "closing") continue;
        this.#line = number;
        await this.#apply({ type: "event", event: { event: line } });
        this.#line = null;
      }
      const { agent, code, stop, isStarted } = this.#attempt;
      if (!isStarted || agent?.isAlive || this.#isGone || this.#run.attempt !== attempt) return;
      if (this.#run.state === "starting") return;
      this.#isGone = true;
      await this.#apply({ type: "gone", exit: { code, stop }, trace: "" });
    });
  }

  #line: number | null = null;

  #do(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch((error: unknown) => this.#cortex.say(`a step of ${this.agentId} failed: ${String(error)}`));
    return this.#turn.then(() => {
      if (this.#isOver || (this.#run.state !== "closed" && this.#run.state !== "fenced")) return;
      this.#isOver = true;
      this.#cortex.over(this);
    });
  }

  async #apply(input: Input): Promise<void> {
    const { run, effects, skipped } = next(this.#run, input);
    if (skipped === "impossible") this.#cortex.world.violations.impossible(this.agentId, run.state, input.type);
    if (run.state !== this.#run.state) this.#cortex.say(`${this.agentId} is ${run.state} (${input.type})`);
    this.#run = run;
    for (const effect of effects) await this.#carryOut(effect);
  }

  async #carryOut(effect: Effect): Promise<void> {
    const { host } = this.#cortex;
    const { agentId } = this;
    const { attempt } = this.#run;
    switch (effect.do) {
      case "append":
        return this.write([effect.event.event]);
      case "catchUp":
        return this.#catchUp();
      case "handOn":
        return this.#has("finish") && !this.#has("handoff") ? this.#handOn() : undefined;
      case "end":
        if (effect.event.event === "finish") await this.#handOn();
        return this.write([effect.event.event]);
      case "ask":
        return host.after(this.#cortex.world.engine.between(1, 50), () => host.endAgent(agentId, attempt, 130));
      case "recordStop":
        this.#attempt.stop ??= effect.reason;
        return host.moment();
      case "signal":
        return host.endAgent(agentId, attempt, null);
      case "settle":
        return this.#settle();
      case "startAgain":
        this.#disk.record = { attempt, lost: this.#run.lost };
        this.#consumed = 0;
        this.#isGone = false;
        await host.moment();
        return void this.#launch();
      case "quarantine": {
        const disk = this.#disk;
        disk.file = null;
        disk.record = null;
        disk.isCommitted = false;
        return;
      }
      default:
        return;
    }
  }

  async #launch(): Promise<void> {
    await this.#do(async () => {
      const { host, world } = this.#cortex;
      const { attempt } = this.#run;
      if (this.#run.state !== "starting" && this.#run.state !== "stopping") return;
      host.attempt(this.agentId, attempt);
      await host.moment();
      if (!(await this.#cortex.mayStart(this.agentId, attempt))) return this.#apply({ type: "fenced" });
      host.spawn(this.agentId, attempt, this.#request?.script ?? [], world.rules.startedMarker);
      await host.moment();
      await this.#apply({ type: "started" });
      if (this.#run.state === "stopping") await this.#carryOut({ do: "ask", line: { type: "cancel" } });
    });
    await this.look();
  }

  /** Appends, then publishes. */
  async write(names: string[]): Promise<void> {
    const { host, world } = this.#cortex;
    const events = names.map((name, index) => ({
      seq: this.file.length + 1 + index,
      name,
      attempt: this.#run.attempt,
      tag: world.nextTag(),
      line: this.#line,
    }));
    this.file.push(...events);
    await host.moment();
    this.isBehind ||= !this.#cortex.isPublishing(this.agentId) || this.#losses !== this.#cortex.losses;
    this.#losses = this.#cortex.losses;
    if (this.isBehind) await this.#catchUp();
    else for (const event of events) this.#cortex.publish(this.agentId, event);
  }

  async #catchUp(): Promise<void> {
    if (this.#run.state === "fenced" || !this.isBehind || !this.#cortex.isPublishing(this.agentId)) return;
    try {
      this.isBehind = !(await this.#cortex.catchUp(this.agentId, this.file));
    } catch {
      // The bus doesn't have all events yet.
    }
  }

  async #handOn(): Promise<void> {
    if (!this.#request?.hasHandoff || this.#disk.child !== null) return;
    const child = await this.#cortex.reserveId(this.agentId);
    await this.#cortex.host.moment();
    this.#disk.child = child;
    await this.#cortex.host.moment();
  }

  #has(name: string): boolean {
    return this.file.some((event) => event.name === name);
  }

  async #settle(): Promise<void> {
    const { host, world } = this.#cortex;
    if (!(await this.#cortex.mayEnd(this.agentId))) return this.#apply({ type: "fenced" });
    if (this.#has("finish")) {
      if (this.#request?.isSaved && !this.#has("saved")) {
        world.violations.saved(this.agentId, host.name);
        await host.moment();
        await this.write(["saved"]);
      }
      if (this.#disk.child !== null && !this.#has("handoff")) await this.write(["handoff"]);
    }
    await this.commit();
    await this.#apply({ type: "settled" });
  }

  /** Ends the run: its file gets its final name. */
  async commit(): Promise<void> {
    this.#disk.isCommitted = true;
    await this.#cortex.host.moment();
  }
}

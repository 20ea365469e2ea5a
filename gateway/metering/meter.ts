/**
 * The calls that are under way, and what cortex says of each: asked before it is forwarded, told when it has ended. While
 * cortex is away no call is made; an end is told until cortex has it.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../proc/logging/log.ts";
import type { CallUnderWay, MeteredUsage, MeteringAnswer, MeteringNotice } from "../../protocol/runs/metering.ts";

/** How long a call waits for a cortex that is away, and for calls under way that leave no room for it. */
export type Patience = { awayMs: number; roomMs: number };

const usualPatience: Patience = { awayMs: 15_000, roomMs: 10_000 };

/** Pause before the same is asked or told again. */
const againMs = 200;
const leastAgainMs = 10;
const mostAgainMs = 5000;

/** Calls of others that go with each question, at most. */
const mostOthers = 1000;

export type MeterDeps = {
  /** Null: nobody has answered. */
  tell: (agentId: string, notice: MeteringNotice) => Promise<MeteringAnswer | null>;
  /** Whether a run may still say something: its token is there. */
  isOver: (call: CallUnderWay) => Promise<boolean>;
  log: Logger;
  patience?: Patience;
};

/** @field kind `away`: nobody knows, so it isn't made */
export type Admission = { ok: true } | { ok: false; kind: "cap" | "forbidden" | "away"; error: string };

export class Meter {
  readonly #deps: MeterDeps;
  readonly #patience: Patience;
  /** Which life of the gateway this is. */
  readonly #gateway = randomUUID();
  readonly #underWay = new Map<string, CallUnderWay>();
  readonly #telling = new Set<Promise<void>>();
  #ended = Promise.withResolvers<void>();

  constructor(deps: MeterDeps) {
    this.#deps = deps;
    this.#patience = deps.patience ?? usualPatience;
  }

  /** Asks whether a call may be made. One that may is under way until its end is told. */
  async begin(call: CallUnderWay, signal: AbortSignal): Promise<Admission> {
    const since = performance.now();
    for (;;) {
      const answer = await this.#ask(call);
      if (answer?.ok) {
        this.#underWay.set(call.call, call);
        return { ok: true };
      }
      const waited = performance.now() - since;
      const refused = answer?.refused;
      if (answer && refused === "over") return { ok: false, kind: "forbidden", error: answer.error };
      const mayWait = !signal.aborted && waited < this.#patienceFor(refused);
      if (answer && !mayWait && refused !== "starting") return { ok: false, kind: "cap", error: answer.error };
      if (!mayWait) return { ok: false, kind: "away", error: "nobody answers who counts the run's calls" };
      await this.#beforeAgain(refused);
    }
  }

  #patienceFor(refused: Exclude<MeteringAnswer, { ok: true }>["refused"] | undefined): number {
    if (refused === "cap") return 0;
    return refused === "under_way" ? this.#patience.roomMs : this.#patience.awayMs;
  }

  async #beforeAgain(refused: string | undefined): Promise<void> {
    if (refused === "starting") return delay(leastAgainMs);
    await Promise.race([delay(againMs), ...(refused === "under_way" ? [this.#ended.promise] : [])]);
  }

  #ask(call: CallUnderWay): Promise<MeteringAnswer | null> {
    const others = [...this.#underWay.values()].slice(0, mostOthers);
    return this.#tell(call.agent_id, { event: "begin", gateway: this.#gateway, ...call, others });
  }

  /** Tells that a call has ended, whatever else goes on. @param usage null: it has used nothing */
  end(call: CallUnderWay, usage: MeteredUsage | null): void {
    const telling = this.#tellEnd(call, usage);
    this.#telling.add(telling);
    void telling.finally(() => this.#telling.delete(telling));
  }

  async #tellEnd(call: CallUnderWay, usage: MeteredUsage | null): Promise<void> {
    for (let pause = againMs; ; pause = Math.min(mostAgainMs, pause * 2)) {
      const notice = { event: "end", gateway: this.#gateway, call: call.call, usage } as const;
      const answer = await this.#tell(call.agent_id, notice);
      if (answer?.ok || (answer && answer.refused !== "starting")) break;
      if (await this.#deps.isOver(call)) {
        this.#deps.log.warn({ agent_id: call.agent_id, call: call.call, usage }, "a run is over that has used this");
        break;
      }
      await delay(pause, undefined, { ref: false });
    }
    this.#underWay.delete(call.call);
    this.#ended.resolve();
    this.#ended = Promise.withResolvers();
  }

  async #tell(agentId: string, notice: MeteringNotice): Promise<MeteringAnswer | null> {
    try {
      return await this.#deps.tell(agentId, notice);
    } catch (error) {
      this.#deps.log.error({ agent_id: agentId, err: error }, "cortex couldn't be asked");
      return null;
    }
  }

  /** Resolves when all ends are told, or after so long. */
  async settled(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.#telling), delay(withinMs, undefined, { ref: false })]);
  }
}

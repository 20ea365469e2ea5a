/**
 * Metering of a run's model calls that go through the gateway: each is refused at a limit before it is made, set aside
 * while it is under way, and stands in the run's file, once, when it has ended.
 */
import type { EventBody } from "../../protocol/runs/event.ts";
import type { CallUnderWay, MeteredUsage, MeteringAnswer, MeteringNotice } from "../../protocol/runs/metering.ts";
import type { ReservedCall } from "../limits/calls-under-way.ts";
import type { RunScope } from "../run-scope/run-scope.ts";
import type { AttemptLimits } from "./attempt-limits.ts";

type Begin = Extract<MeteringNotice, { event: "begin" }>;
type End = Extract<MeteringNotice, { event: "end" }>;

/** How long the end of a run waits for the ends of its calls, in ms: the gateway tells them once their program is gone. */
const settleMs = 5000;

export class Metering {
  readonly #scope: RunScope;
  readonly #limits: AttemptLimits;
  /** Ends that are told, and not yet written. */
  readonly #told = new Map<string, MeteredUsage | null>();
  #heard = Promise.withResolvers<void>();

  constructor(scope: RunScope, limits: AttemptLimits) {
    this.#scope = scope;
    this.#limits = limits;
  }

  /** Says whether a call may be made; then it is set aside. Asked again for the same call, it answers the same. */
  begin(notice: Begin): MeteringAnswer {
    const { machine, budget, context } = this.#scope;
    const { state } = machine.run;
    this.#endFormerCalls(notice.gateway);
    if (state === "starting") return { ok: false, refused: "starting", error: "the run is being started" };
    if (this.#isOver(notice.call)) return { ok: false, refused: "over", error: "the call has ended" };
    const refusal = budget.refusal(notice.models);
    const stop = machine.run.stop?.reason === "budget" ? machine.run.stop.error : null;
    if (refusal?.refused === "cap" || stop !== null)
      return { ok: false, refused: "cap", error: stop ?? refusal?.error ?? "" };
    if (state !== "running") return { ok: false, refused: "over", error: "the run is being stopped" };
    if (context.underWay.has(notice.call)) return { ok: true };
    if (refusal) return { ok: false, ...refusal };
    this.#reserve(notice, notice.gateway);
    return { ok: true };
  }

  /** Sets a call aside that a former cortex has allowed. */
  keep(call: CallUnderWay, gateway: string): void {
    if (!this.#isOver(call.call)) this.#reserve(call, gateway);
  }

  /** Takes the end of a call. Resolves when it stands in the run's file. */
  async end({ call, usage }: End): Promise<MeteringAnswer> {
    const { machine } = this.#scope;
    const { state } = machine.run;
    if (state === "starting") return { ok: false, refused: "starting", error: "the run is being started" };
    if (this.#scope.meteredCalls.has(call)) return { ok: true };
    this.#told.set(call, usage);
    this.#heard.resolve();
    await machine.inTurn(() => this.#writeTold());
    const isWritten = usage === null || this.#scope.meteredCalls.has(call);
    return isWritten ? { ok: true } : { ok: false, refused: "over", error: "the run is over" };
  }

  /**
   * Waits for the ends of the calls that are under way, before the run's terminal event. What nobody tells of counts as
   * it is likely to be. To be called in turn.
   */
  async settle(): Promise<void> {
    if (this.#untold.length > 0) await this.#untilTold();
    for (const call of this.#untold) this.#told.set(call.call, likelyUsage(call));
    await this.#writeTold();
  }

  async #untilTold(): Promise<void> {
    const late = Promise.withResolvers<void>();
    let isLate = false;
    using _ = this.#scope.context.clock.later(settleMs, () => {
      isLate = true;
      late.resolve();
    });
    while (this.#untold.length > 0 && !isLate) {
      this.#heard = Promise.withResolvers();
      await Promise.race([this.#heard.promise, late.promise]);
    }
  }

  /** The calls of whose ends nobody has told. */
  get #untold(): ReservedCall[] {
    const { context, agentId } = this.#scope;
    return context.underWay.of(agentId).filter(({ call }) => !this.#told.has(call));
  }

  /** An event of the agent's own: what it tells of calls that the gateway counts, counts for nothing. */
  marked(event: EventBody): EventBody {
    if (event.event !== "usage") return event;
    const { call: _, repeated: __, ...own } = event;
    return this.#isMetered ? { ...own, event: "usage", repeated: true } : { ...own, event: "usage" };
  }

  get #isMetered(): boolean {
    const { meteredCalls, context, agentId } = this.#scope;
    return meteredCalls.size > 0 || context.underWay.of(agentId).length > 0;
  }

  #isOver(call: string): boolean {
    return this.#told.has(call) || this.#scope.meteredCalls.has(call);
  }

  /** Calls of a gateway that has died have ended with it. */
  #endFormerCalls(gateway: string): void {
    const { context, agentId, machine } = this.#scope;
    const former = context.underWay.of(agentId).filter((call) => call.gateway !== gateway && !this.#isOver(call.call));
    if (former.length === 0) return;
    for (const call of former) this.#told.set(call.call, likelyUsage(call));
    void machine.inTurn(() => this.#writeTold());
  }

  #reserve({ call, models, most, likely }: CallUnderWay, gateway: string): void {
    const { context, agentId, plan } = this.#scope;
    context.underWay.reserve({ agent_id: agentId, persona: plan.persona, call, models, most, likely, gateway });
  }

  async #writeTold(): Promise<void> {
    const { context, terminal, machine } = this.#scope;
    for (const [call, usage] of this.#told) {
      // First: a call is never told twice, and what it has used counts before it is no longer set aside.
      if (usage !== null && terminal === null && !this.#scope.meteredCalls.has(call))
        await this.#scope.writeOwn({ event: "usage", ...usage, purpose: "metered", call });
      this.#told.delete(call);
      context.underWay.release(call);
    }
    if (machine.run.state === "running") await this.#limits.checkBudget();
  }
}

function likelyUsage({ models, likely }: ReservedCall): MeteredUsage {
  const { input_tokens, output_tokens, cost_usd, unpriced_tokens } = likely;
  return {
    model: models[0] ?? "",
    input_tokens,
    cached_input_tokens: 0,
    output_tokens,
    reasoning_tokens: 0,
    cost_usd: unpriced_tokens > 0 ? null : cost_usd,
    finish_reason: "error",
    estimated: true,
  };
}

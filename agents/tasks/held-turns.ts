/**
 * Turns that wait for a task whose user hasn't answered yet: their clocks stand still, too. Cortex is told for which questions, as
 * a whole and again until it is told. A turn that hasn't asked for its tasks for a while waits for them no longer; what was told
 * by the service before this one isn't known, and is told anew after that while.
 */
import { tellPermission } from "../../bus/runs/permission-notices.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { HoldUp } from "../../protocol/runs/request/permission-notice.ts";
import type { AgentDeps } from "../record/agent-deps.ts";
import type { AgentDirectory } from "../record/directory.ts";

/** Milliseconds after which an untold notice is told again. */
const againMs = 500;
/** More than the time between two calls by which a turn waits, in ms. */
const leaseMs = 10_000;
/** Questions of a notice. */
const mostQuestions = 100;

/** `told`: as it was told last; null: nobody knows. */
type HeldTurn = { by: HoldUp[]; told: string | null; until: number; isBusy: boolean };

export class HeldTurns implements Disposable {
  readonly #deps: Pick<AgentDeps, "bus" | "log">;
  readonly #turns = new Map<string, HeldTurn>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: Pick<AgentDeps, "bus" | "log"> & { directory: AgentDirectory }) {
    this.#deps = deps;
    for (const { state } of deps.directory.all) if (state.turn) this.#begin(state.turn.run_id);
    this.#timer = setInterval(() => this.#checkTurns(), againMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  isHeld(run: string): boolean {
    return (this.#turns.get(run)?.by.length ?? 0) > 0;
  }

  /** Says for which questions a turn is held up now; for none, where its clocks go on. Resolves when that was told, or is told later. */
  async hold(run: string, questions: readonly KeptQuestion[]): Promise<void> {
    const by = questions.slice(0, mostQuestions).map(({ id, run: run_id }) => ({ id, run_id }));
    const known = this.#turns.get(run);
    if (!known && by.length === 0) return;
    const turn = known ?? this.#begin(run);
    turn.by = by;
    turn.until = performance.now() + leaseMs;
    await this.#tellTurn(run, turn);
  }

  #begin(run: string): HeldTurn {
    const turn = { by: [], told: null, until: performance.now() + leaseMs, isBusy: false };
    this.#turns.set(run, turn);
    return turn;
  }

  #checkTurns(): void {
    for (const [run, turn] of this.#turns) {
      const isOver = performance.now() >= turn.until;
      if (isOver) turn.by = [];
      if (isOver || turn.by.length > 0 || turn.told !== null) void this.#tellTurn(run, turn);
    }
  }

  async #tellTurn(run: string, turn: HeldTurn): Promise<void> {
    const { by } = turn;
    const text = JSON.stringify(by);
    if (turn.isBusy || turn.told === text) return;
    turn.isBusy = true;
    try {
      const answer = await tellPermission(this.#deps.bus, run, { event: "held_up", by });
      if (answer?.ok) turn.told = text;
      if (answer && (!answer.ok || (by.length === 0 && turn.by.length === 0))) this.#turns.delete(run);
      // Nobody answers for a run that is over.
      if (!answer && by.length === 0 && performance.now() >= turn.until + leaseMs) this.#turns.delete(run);
    } catch (error) {
      this.#deps.log.warn({ agent_id: run, err: error }, "could not stop or start a turn's clocks");
    } finally {
      turn.isBusy = false;
    }
  }
}

/** Looks after the questions that are kept: what nobody answers in time is denied, and what a crash has left undone is done again. */
import { runState } from "../../journal/runs/run-files.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { AgentDeps } from "../record/agent-deps.ts";
import type { QuestionStore } from "./question-store.ts";

/** The steps of a question, each of which may be taken again. */
export type QuestionSteps = {
  deny: (id: string, by: string) => Promise<unknown>;
  put: (id: string) => Promise<void>;
  tellDecision: (question: KeptQuestion) => Promise<void>;
};

/** Milliseconds after which the questions are looked at again. */
export const questionWatchMs = 500;
/** Milliseconds for which answered questions are kept, so that a second answer is told so. */
const keptMs = 7 * 86_400_000;

export class QuestionWatch implements Disposable {
  readonly #deps: Pick<AgentDeps, "journal" | "log">;
  readonly #store: Pick<QuestionStore, "all" | "remove">;
  readonly #steps: QuestionSteps;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(
    deps: Pick<AgentDeps, "journal" | "log">,
    store: Pick<QuestionStore, "all" | "remove">,
    steps: QuestionSteps,
  ) {
    this.#deps = deps;
    this.#store = store;
    this.#steps = steps;
    this.#timer = setInterval(() => void this.#checkQuestions(), questionWatchMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Denies what nobody has answered in time, ends what its run no longer asks, and does again what a crash has left undone. */
  async #checkQuestions(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const question of this.#store.all)
      await this.#lookAt(question).catch((error: unknown) => {
        // The others go on.
        const { id, run } = question;
        this.#deps.log.warn({ id, agent_id: run, err: error }, "a question about a call can't be looked after now");
      });
    this.#isLooking = false;
  }

  async #lookAt(question: KeptQuestion): Promise<void> {
    const { journal } = this.#deps;
    const { deny, put, tellDecision: tell } = this.#steps;
    const { id, run, expires, decided, is_told, agent, is_put, write_path: path } = question;
    if (decided !== undefined && is_told) {
      if (Date.now() - decided < keptMs || runState(journal, run) !== "ended") return;
      return this.#store.remove(id);
    }
    if (decided !== undefined) return tell(question);
    const isOver = path === undefined && runState(journal, run) === "ended";
    if (isOver) return void (await deny(id, "the run's end"));
    if (Date.now() >= expires) return void (await deny(id, "timeout"));
    if (agent !== undefined && !is_put) await put(id);
    if (path === undefined && !is_told) await tell(question);
  }
}

/** The questions that are kept: in memory as they stand on the disk. A change of one never overtakes another. */
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { keepQuestion, listQuestions, removeQuestion } from "../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";

type Change = Partial<KeptQuestion> | null;

export class QuestionStore {
  readonly #journal: string;
  readonly #questions = new Map<string, KeptQuestion>();
  readonly #changes = new SerialQueue();

  constructor(journal: string) {
    this.#journal = journal;
    // Told once more: a cortex that lost its power may not know of one about a call.
    for (const question of listQuestions(journal))
      this.#questions.set(question.id, question.write_path === undefined ? { ...question, is_told: false } : question);
  }

  get all(): KeptQuestion[] {
    return [...this.#questions.values()];
  }

  /** The questions that wait for an answer, the oldest first. */
  get open(): KeptQuestion[] {
    return this.all.filter(isOpen).toSorted((a, b) => a.ts - b.ts);
  }

  get(id: string): KeptQuestion | undefined {
    return this.#questions.get(id);
  }

  /** Lists the questions of an agent that hold something up: the answer isn't there, or hasn't reached it. */
  of(agentId: string): KeptQuestion[] {
    const isPending = (one: KeptQuestion) => isOpen(one) || (one.write_path !== undefined && !one.is_told);
    return this.all.filter((question) => question.agent === agentId && isPending(question));
  }

  /** Keeps a question. Resolves when that lasts. */
  async keep(question: KeptQuestion): Promise<void> {
    await keepQuestion(this.#journal, question);
    this.#questions.set(question.id, question);
  }

  /** Changes a question as it is by then. Null: there is none, or the change is none. */
  change(id: string, change: (now: KeptQuestion) => Change | Promise<Change>): Promise<KeptQuestion | null> {
    return this.#changes.run(async () => {
      const now = this.#questions.get(id);
      const changed = now && (await change(now));
      if (!changed) return null;
      const next = { ...now, ...changed };
      await this.keep(next);
      return next;
    });
  }

  async remove(id: string): Promise<void> {
    this.#questions.delete(id);
    await removeQuestion(this.#journal, id);
  }
}

export const isOpen = ({ decision }: KeptQuestion) => decision === undefined;

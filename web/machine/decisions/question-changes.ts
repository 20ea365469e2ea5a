/** Questions as their files tell them: which are open, and what became of those that were. One that is decided isn't read again. */
import { questionIds, readQuestion } from "../../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";

export class QuestionChanges {
  readonly #journal: string;
  readonly #open = new Map<string, KeptQuestion>();
  #decided: ReadonlySet<string> = new Set();

  constructor(journal: string) {
    this.#journal = journal;
  }

  /** The questions that wait for an answer, oldest first. */
  get open(): KeptQuestion[] {
    return [...this.#open.values()].toSorted((a, b) => a.ts - b.ts);
  }

  has(id: string): boolean {
    return this.#open.has(id) || this.#decided.has(id);
  }

  /** Looks at the files. @returns those that have come, and those of the open ones that were decided */
  readChanges(): KeptQuestion[] {
    const changed: KeptQuestion[] = [];
    const decided = new Set<string>();
    const there = new Set(questionIds(this.#journal));
    for (const id of there) {
      if (this.#decided.has(id)) decided.add(id);
      else this.#read(id, decided, changed);
    }
    for (const [id, question] of this.#open) if (!there.has(id)) changed.push(this.#gone(question));
    this.#decided = decided;
    return changed.toSorted((a, b) => (a.decided ?? a.ts) - (b.decided ?? b.ts));
  }

  #read(id: string, decided: Set<string>, changed: KeptQuestion[]): void {
    const question = readQuestion(this.#journal, id);
    if (!question) return;
    const before = this.#open.get(id);
    if (question.decision === undefined) {
      this.#open.set(id, question);
      if (!before) changed.push(question);
      return;
    }
    decided.add(id);
    this.#open.delete(id);
    if (before) changed.push(question);
  }

  /** Its file isn't there any more: nobody can answer it. */
  #gone(question: KeptQuestion): KeptQuestion {
    this.#open.delete(question.id);
    return { ...question, decision: "deny", by: "the run's end", decided: Date.now() };
  }
}

/** Questions whose buttons stand in a chat: the buttons go once the question was decided, wherever that was. */
import type { MessageDelivery } from "../../../journal/channels/outbox.ts";
import { listQuestions, readQuestion } from "../../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";

/** A message with buttons. */
export type ShownQuestion = { chatId: string; messageId: number };

/** Milliseconds after which the questions are looked at again. */
const lookMs = 1000;
/** Milliseconds for which a question may have been decided while nobody looked. */
const missedMs = 86_400_000;
/** Buttons at most that are looked after: those of older questions stay until they are pressed. */
const mostShown = 1000;

type QuestionsDeps = {
  journal: string;
  /** Takes the buttons of a message away. */
  removeButtons: (shown: ShownQuestion) => Promise<void>;
};

export class ShownQuestions implements Disposable {
  readonly #deps: QuestionsDeps;
  /** By the question's id, the oldest first. */
  readonly #shown = new Map<string, ShownQuestion>();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Finds the questions that a former process has shown. @param deliveryOf by the message's id */
  findFormer(deliveryOf: (id: string) => MessageDelivery | undefined): void {
    const now = Date.now();
    const ours = listQuestions(this.#deps.journal).filter(
      ({ channel, decided = now }) => channel?.type === "telegram" && now - decided < missedMs,
    );
    for (const { id, channel } of ours.toSorted((a, b) => a.ts - b.ts)) {
      const outcome = deliveryOf(`permission-${id}`)?.outcome;
      const messageId = outcome?.state === "sent" ? lastOf(outcome.external_id) : undefined;
      if (messageId !== undefined) this.add(id, { chatId: channel?.channelId ?? "", messageId });
    }
  }

  add(id: string, shown: ShownQuestion): void {
    this.#shown.set(id, shown);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > mostShown && oldest !== undefined) this.#shown.delete(oldest);
  }

  /** Somebody else takes its buttons away. */
  forget(id: string): void {
    this.#shown.delete(id);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const [id, shown] of this.#shown)
      if (isDecided(readQuestion(this.#deps.journal, id)) && this.#shown.delete(id))
        await this.#deps.removeButtons(shown);
    this.#isLooking = false;
  }
}

/** Whether an answer is known: a question that isn't kept may have been decided or not. */
const isDecided = (question: KeptQuestion | null) => question?.decision !== undefined;

/** The buttons stand under the last part. */
function lastOf(externalId: string | undefined): number | undefined {
  const id = Number(externalId?.split(",").at(-1));
  return Number.isInteger(id) && id > 0 ? id : undefined;
}

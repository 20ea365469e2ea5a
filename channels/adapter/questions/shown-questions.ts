/** Questions whose buttons stand in a room: something is done with each once it was decided, wherever that was. */
import type { MessageDelivery } from "../../../journal/channels/outbox.ts";
import { listQuestions, readQuestion } from "../../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";

/** A message with buttons. @field channelId where it went to @field messageId the service's, of its last part */
export type ShownQuestion = { channelId: string; messageId: string; text: string };

/** Milliseconds after which the questions are looked at again. */
const lookMs = 1000;
/** Milliseconds for which a question may have been decided while nobody looked. */
const missedMs = 86_400_000;
/** Buttons at most that are looked after: those of older questions stay until they are pressed. */
const mostShown = 1000;

type QuestionsDeps = {
  journal: string;
  /** Type of the channel. */
  type: string;
  /** Shows the decision, or takes the buttons away; a failure of that is its own to tell. */
  onDecided: (shown: ShownQuestion, question: KeptQuestion) => Promise<void>;
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
      ({ channel, decided = now }) => channel?.type === this.#deps.type && now - decided < missedMs,
    );
    for (const { id, tool, channel } of ours.toSorted((a, b) => a.ts - b.ts)) {
      const outcome = deliveryOf(`permission-${id}`)?.outcome;
      // The buttons stand under the last part.
      const messageId = outcome?.state === "sent" ? outcome.external_id?.split(",").at(-1) : undefined;
      if (messageId !== undefined && channel)
        this.add(id, { channelId: channel.channelId, messageId, text: `A call of ${tool}.` });
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
    for (const [id, shown] of this.#shown) {
      const question = readQuestion(this.#deps.journal, id);
      // A question that isn't kept may have been decided or not.
      if (question?.decision !== undefined && this.#shown.delete(id)) await this.#deps.onDecided(shown, question);
    }
    this.#isLooking = false;
  }
}

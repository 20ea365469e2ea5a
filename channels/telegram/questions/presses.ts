/** Presses of buttons under questions: an owner's is a decision, and each is answered. */
import type { Api } from "grammy";
import { setTimeout as delay } from "node:timers/promises";
import { readQuestion } from "../../../journal/permissions/questions.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";
import type { AgentSide } from "../../adapter/adapter.ts";
import type { AdapterDeps } from "../../adapter/open-adapter.ts";
import { Senders } from "../../adapter/senders/senders.ts";
import { answerToPress, decisionOf } from "./permission.ts";
import type { ShownQuestions } from "../../adapter/questions/shown-questions.ts";
import type { TellQuietly } from "../calls/tell-quietly.ts";
import type { Press } from "../updates/update.ts";

/** Milliseconds for which a press waits until its question is decided: Telegram shows meanwhile that it is at work. */
const decidedMs = 2000;
const lookMs = 50;

const ownerDecides = "Only an owner decides this.";

type PressDeps = Pick<AdapterDeps, "journal" | "settings" | "signal"> & {
  api: Api;
  agent: AgentSide;
  questions: ShownQuestions;
  tell: TellQuietly;
};

/** Makes the handler of presses: a decision is stored before it resolves. */
export function pressHandler({ journal, settings, signal, api, agent, questions, tell }: PressDeps) {
  const senders = new Senders(journal, "telegram", settings.allow);
  return async ({ queryId, userId, data, chatId, messageId }: Press): Promise<void> => {
    const pressed = decisionOf(data);
    const answer = (text: string, more = {}) =>
      tell(() => api.answerCallbackQuery(queryId, { text, ...more }), "a press of a button wasn't answered");
    if (!pressed || !senders.mayWrite(userId)) return answer("That isn't yours to decide.");
    // The buttons stay, for an owner to press.
    if (!senders.isOwner(userId)) return answer(ownerDecides, { show_alert: true });
    const { token, ...said } = pressed;
    const before = readQuestion(journal, token);
    questions.forget(token);
    // Said all the same: the first answer counts, wherever that is decided.
    await agent.decide(token, { ...said, userId });
    await answer(answerToPress(said, userId, { before, now: before && (await onceDecided(before)) }));
    if (chatId !== null && messageId !== null)
      await tell(() => api.editMessageReplyMarkup(chatId, messageId), "the buttons weren't removed");
  };

  /** The question once it is decided, or as it is when that takes long. */
  async function onceDecided(question: KeptQuestion): Promise<KeptQuestion> {
    for (let now = question, waited = 0; ; waited += lookMs) {
      if (now.decision !== undefined || waited >= decidedMs || signal.aborted) return now;
      await delay(lookMs, undefined, { signal }).catch(() => {});
      now = readQuestion(journal, question.id) ?? now;
    }
  }
}

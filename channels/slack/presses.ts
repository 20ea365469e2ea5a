/** Presses of the buttons under a question: an owner decides, and the outcome takes the place of the buttons. */
import type { WebClient } from "@slack/web-api";
import { setTimeout as delay } from "node:timers/promises";
import { readQuestion } from "../../journal/permissions/questions.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import type { Press } from "./event.ts";
import { Senders } from "../adapter/senders/senders.ts";
import { decidedBlocks, decisionOf, outcomeOf } from "./permission.ts";
import { toDeliveryError } from "./service/failures.ts";
import type { ShownQuestions } from "../adapter/questions/shown-questions.ts";
import { escaped } from "./text/mrkdwn.ts";

/** Milliseconds for which the outcome waits until the question is decided. */
const decidedMs = 2000;
const lookMs = 50;

const ownerDecides = "Only an owner decides this.";

export type PressesDeps = Pick<AdapterDeps, "journal" | "settings" | "log" | "signal"> & {
  hasty: WebClient;
  agent: AgentSide;
  questions: ShownQuestions;
};

/** Resolves when the decision is stored, or there is none. */
export async function handlePress(deps: PressesDeps, press: Press): Promise<void> {
  const { journal, settings, hasty, agent, questions, log, signal } = deps;
  const { room, userId, ts, thread } = press;
  const pressed = decisionOf(press.action, press.value);
  if (!pressed) return;
  if (!new Senders(journal, "slack", settings.allow).isOwner(userId)) {
    // The buttons stay, for an owner to press.
    const told = { channel: room, user: userId, text: ownerDecides };
    void hasty.chat
      .postEphemeral(thread === undefined ? told : { ...told, thread_ts: thread })
      .catch((error: unknown) => log.info({ error: toDeliveryError(error).message }, "a press wasn't answered"));
    return;
  }
  const { token, ...said } = pressed;
  const before = readQuestion(journal, token);
  questions.forget(token);
  // Said all the same: the first answer counts, wherever that is decided.
  await agent.decide(token, { ...said, userId });
  const own = { ...said, by: `slack:${userId}` };
  const show = async () => {
    const now = before && (await onceDecided(journal, before, signal));
    const outcome = outcomeOf(now?.decision === undefined ? own : now);
    await showOutcome(hasty, log, { room, ts, text: press.question }, outcome);
  };
  void show().catch((error: unknown) => log.warn({ err: error }, "the outcome of a question wasn't shown"));
}

/** Puts the outcome of a question in the place of its buttons. Best effort. */
export async function showOutcome(
  hasty: WebClient,
  log: Logger,
  { room, ts, text }: { room: string; ts: string; text: string },
  outcome: string,
): Promise<void> {
  const shown = [text, outcome].filter((one) => one.trim() !== "").map(escaped);
  await hasty.chat
    .update({ channel: room, ts, text: shown.join("\n\n"), blocks: decidedBlocks(text, outcome) })
    .catch((error: unknown) => {
      log.info({ error: toDeliveryError(error).message }, "the buttons of a decided question weren't taken away");
    });
}

/** The question once it is decided, or as it is when that takes long. */
async function onceDecided(journal: string, question: KeptQuestion, signal: AbortSignal): Promise<KeptQuestion> {
  for (let now = question, waited = 0; ; waited += lookMs) {
    if (now.decision !== undefined || waited >= decidedMs || signal.aborted) return now;
    await delay(lookMs, undefined, { signal }).catch(() => {});
    now = readQuestion(journal, question.id) ?? now;
  }
}

/** A long-lived agent's answer: what it replies in the turn that hears the message. */
import { randomUUID } from "node:crypto";
import { lastOutbound, storedOutbound } from "../../../bus/agents/channels.ts";
import { TurnOf } from "../../../bus/agents/turn-of.ts";
import { messagePlace } from "../../../journal/agents/message-place.ts";
import { attachmentRules, takeAttachments } from "../../../journal/attachments/take-attachments.ts";
import { itemIdOf, unheardWords } from "../../../protocol/agents/message-place.ts";
import { ErrorReason } from "../../../protocol/events/error-reason.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { findEvent } from "../../../journal/runs/read-run.ts";
import { pageChannel, tellCompanion, tellMain } from "../../journal/access/tell-companion.ts";
import type { Machine } from "../../machine/machine.ts";
import { type Asked, attachmentsOf, splitLast, textOf } from "../requests/asked.ts";
import { type AnswerEnd, type DoorAnswer, usageOf } from "./door-answer.ts";
import { OpenAiError, runError } from "../requests/openai-error.ts";

type Deps = Pick<Machine, "journal" | "bus" | "settings">;

export type CompanionAsked = {
  agent: string;
  isMade: boolean;
  asked: Asked;
  key: string | undefined;
  signal: AbortSignal;
};

/**
 * Says what the user said last; the agent has its own conversation. Resolves when its turn has begun.
 * @throws OpenAiError, WorkspaceError, UnavailableError
 */
export async function askCompanion(
  deps: Deps,
  { agent, isMade, asked, key, signal }: CompanionAsked,
): Promise<DoorAnswer> {
  const { journal, bus } = deps;
  const { last } = splitLast(asked.messages);
  if (last.length === 0)
    throw new OpenAiError(400, "the last message has to be the user's: there is nothing to answer");
  const attachments = await takeAttachments(attachmentsOf(last), { journal }, attachmentRules(deps.settings()));
  const id = `openai-${key ?? randomUUID()}`;
  const from = (await lastOutbound(bus, pageChannel.type)) + 1;
  const placeOf = (item: string) => messagePlace(journal, agent, item);
  const turn = new TurnOf({ bus, agent, placeOf }, itemIdOf({ id, channel: pageChannel }));
  try {
    const text = textOf(last);
    const message = {
      id,
      text: text === "" ? "(see the attached files)" : text,
      ...(attachments.length > 0 && { attachments }),
    };
    const isNew = await (isMade ? tellCompanion(deps, agent, message) : tellMain(deps, message));
    if (!isNew)
      throw new OpenAiError(
        409,
        "this was said before, by its Idempotency-Key: the agent's conversation has the answer",
      );
    const begin = await Promise.race([turn.begun, gone(signal)]);
    if ("unheard" in begin)
      throw runError(unheardWords[begin.unheard], begin.unheard === "taken_back" ? "cancelled" : "internal");
    const { run } = begin;
    // Whoever leaves takes nothing back: the reply stands in the agent's conversation.
    return {
      run,
      pieces: repliesOf(deps, { agent, run, from, turn, signal }),
      cancel: () => {},
      [Symbol.dispose]: () => turn[Symbol.dispose](),
    };
  } catch (error) {
    turn[Symbol.dispose]();
    throw error;
  }
}

const clientLeft = () => new OpenAiError(499, "the client has left");

/** Rejects when nobody waits any more. */
const gone = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(clientLeft()), { once: true });
  });

type Followed = { agent: string; run: string; from: number; turn: TurnOf; signal: AbortSignal };

async function* repliesOf(
  { journal, bus }: Deps,
  { agent, run, from, turn, signal }: Followed,
): AsyncGenerator<string, AnswerEnd> {
  const over = new AbortController();
  let position = from - 1;
  let last: number | null = null;
  // What it replied is stored before its turn ends.
  const ended = turn.ended.then(async (failure) => {
    last = await lastOutbound(bus, pageChannel.type);
    if (position >= last) over.abort();
    return failure;
  });
  ended.catch(() => over.abort());
  let text = "";
  for await (const one of storedOutbound(bus, pageChannel.type, from, AbortSignal.any([signal, over.signal]))) {
    ({ position } = one);
    if (one.message.run_id === run && one.message.agent_id === agent) {
      const piece = text === "" ? one.message.text : `\n\n${one.message.text}`;
      text += piece;
      yield piece;
    }
    if (last !== null && position >= last) break;
  }
  if (signal.aborted) throw clientLeft();
  const failure = await ended;
  if (failure) throw runError(failure.error, failure.reason);
  // Events of agents may get lost: the run's file knows how it ended.
  const end = await findEvent(journal, run, ["finish", "error"], isTerminal);
  if (end?.event === "error") throw runError(String(end["error"]), ErrorReason.safeParse(end["reason"]).data);
  return { text, usage: end && usageOf(end) };
}

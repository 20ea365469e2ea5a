/** A persona's answer: a run of its own, whose text is handed on as it comes. */
import { setTimeout as delay } from "node:timers/promises";
import { ask, nextId, NoCortexError, RejectedError, type RequestedRun } from "../../../bus/runs/client.ts";
import { publishCancel } from "../../../bus/runs/control.ts";
import { isAway } from "../../../bus/runs/ask-again.ts";
import { AttachmentError } from "../../../files/errors/attachment-error.ts";
import { attachmentRules, takeAttachments } from "../../../journal/attachments/take-attachments.ts";
import { followedFiles } from "../../../journal/runs/followed-files.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import type { AttachmentRef } from "../../../protocol/files/attachment.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { TextPieces } from "../../../protocol/runs/text-pieces.ts";
import { AgentId } from "../../../protocol/names/names.ts";
import { ErrorReason } from "../../../protocol/events/error-reason.ts";
import { busOf } from "../../machine/base/machine-base.ts";
import type { Machine } from "../../machine/machine.ts";
import { keepId, keptId } from "../../machine/runs/asked-ids.ts";
import { type Asked, attachmentsOf, instructionsIn, splitLast, textOf } from "../requests/asked.ts";
import { type AnswerEnd, type DoorAnswer, usageOf } from "./door-answer.ts";
import { OpenAiError, runError } from "../requests/openai-error.ts";

type Deps = Pick<Machine, "journal" | "bus" | "settings">;

export type PersonaAsked = {
  persona: string;
  asked: Asked;
  /** The run that it goes on from; its conversation is in its file, and what the client sends of it is passed over. */
  continueFrom: string | undefined;
  /** The name of a request that may be sent again: it asks for the same run. */
  key: string | undefined;
};

/** Begins the run. @throws OpenAiError */
export async function askPersona(deps: Deps, { persona, asked, continueFrom, key }: PersonaAsked): Promise<DoorAnswer> {
  try {
    const bus = busOf(deps);
    const request = { persona, watched: true, stream: true, ...(await requestOf(deps, asked, continueFrom)) };
    const run = await (key === undefined ? follow(deps, request) : followOnce(deps, request, key));
    return {
      run: run.agent_id,
      pieces: piecesOf(run.events),
      cancel: () => publishCancel(bus, run.agent_id),
      [Symbol.dispose]: () => {},
    };
  } catch (error) {
    throw refused(error);
  }
}

const follow = ({ bus, journal }: Deps, request: Parameters<typeof ask>[1]) =>
  ask(bus, request, { fileOf: followedFiles(journal).fileOf });

/** By an id that is kept before it is sent. One that another request has taken meanwhile gives way to the next. */
async function followOnce(deps: Deps, request: Parameters<typeof ask>[1], key: string): Promise<RequestedRun> {
  for (let ts = keptId(deps.journal, key); ; ts = null) {
    ts ??= nextId();
    keepId(deps.journal, key, ts);
    try {
      return await follow(deps, { ...request, ts });
    } catch (error) {
      if (!(error instanceof RejectedError && error.reason === "duplicate_id")) throw error;
    }
  }
}

async function requestOf(deps: Deps, asked: Asked, continueFrom: string | undefined) {
  const { messages, maxTokens, temperature } = asked;
  const { before, last } = splitLast(messages);
  if (last.length === 0)
    throw new OpenAiError(400, "the last message has to be the user's: there is nothing to answer");
  if (continueFrom !== undefined) await requireEnded(deps, continueFrom);
  const own = continueFrom === undefined;
  const instructions = instructionsIn(messages);
  // A persona has instructions of its own: what a client says beside them stands at the begin of the conversation.
  const spoken = own ? [...(instructions === "" ? [] : [said(instructions)]), ...before] : [];
  const conversation = [];
  for (const { role, text, attachments } of spoken)
    conversation.push({ role: role === "assistant" ? role : ("user" as const), text, ...(await files(attachments)) });
  const prompt = textOf(last);
  return {
    prompt: prompt === "" ? "(see the attached files)" : prompt,
    ...(await files(attachmentsOf(last))),
    ...(conversation.length > 0 && { conversation }),
    ...(!own && { continue_from: continueFrom }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };

  async function files(refs: readonly AttachmentRef[]) {
    if (refs.length === 0) return {};
    const parts = await takeAttachments(refs, { journal: deps.journal }, attachmentRules(deps.settings()));
    return { attachments: parts.map(({ id, name }) => ({ id, name })) };
  }
}

const said = (text: string) => ({ role: "user" as const, text, attachments: [] });

/** Between a run's last event and the end of its file it is saved and handed on, in ms. */
const [closedWithinMs, lookMs] = [10_000, 20];

/** @throws OpenAiError for a run that can't be gone on from */
async function requireEnded({ journal }: Pick<Deps, "journal">, id: string): Promise<void> {
  const state = () => (AgentId.safeParse(id).success ? runState(journal, id) : "absent");
  for (const end = performance.now() + closedWithinMs; performance.now() < end; await delay(lookMs)) {
    if (state() === "ended") return;
    if (state() === "absent") break;
  }
  const why = state() === "absent" ? "there is no such run in this journal" : "it hasn't ended";
  throw new OpenAiError(400, `run ${id.slice(0, 64)} can't be gone on from: ${why}`, { param: "X-Cortex-Continue" });
}

async function* piecesOf(events: AsyncIterable<AgentEvent>): AsyncGenerator<string, AnswerEnd> {
  const pieces = new TextPieces();
  for await (const event of events) {
    if (event.event === "error" && event["terminal"] !== false)
      throw runError(String(event["error"]), ErrorReason.safeParse(event["reason"]).data);
    const piece = pieces.next(event);
    if (piece !== "") yield piece;
    if (event.event === "finish") return { text: String(event["result"]), usage: usageOf(event) };
  }
  throw new OpenAiError(500, "the run ended without a last event: cortex quarantine may have it");
}

function refused(error: unknown): unknown {
  if (error instanceof OpenAiError) return error;
  if (error instanceof AttachmentError) return new OpenAiError(400, error.message);
  if (error instanceof RejectedError)
    return new OpenAiError(error.reason === "overloaded" ? 503 : 400, error.message, { code: error.reason });
  if (error instanceof NoCortexError || isAway(error))
    return new OpenAiError(503, "cortex doesn't answer now: cortex status says why", { code: "unavailable" });
  return error;
}

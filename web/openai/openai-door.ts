/** The answers of OpenAI's door: by personas, each with a run of its own, and by long-lived agents. */
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { NoAgentsError } from "../../bus/agents/agent-calls.ts";
import { WorkspaceError } from "../../workspace/records/workspace-error.ts";
import { type MachineBase, UnavailableError } from "../machine/base/machine-base.ts";
import { askCompanion } from "./answers/ask-companion.ts";
import { askPersona } from "./answers/ask-persona.ts";
import type { Asked } from "./requests/asked.ts";
import type { DoorAnswer } from "./answers/door-answer.ts";
import { findModel, modelIds, modelObject } from "./door-models.ts";
import { errorBody, OpenAiError } from "./requests/openai-error.ts";
import { readChat } from "./requests/read-chat.ts";
import { readResponses } from "./requests/read-responses.ts";
import { responseId } from "./requests/response-ids.ts";
import { sendChat, sendResponse } from "./send-answer.ts";

/** Answers at once. Each holds a connection and a run. */
const mostAnswers = 64;

/** Seconds after which a client may ask again that was refused for now. */
const retryAfterSeconds = 5;

export type DoorDeps = Pick<MachineBase, "journal" | "bus" | "settings" | "log">;

export class OpenAiDoor {
  readonly #deps: DoorDeps;
  #answers = 0;

  constructor(deps: DoorDeps) {
    this.#deps = deps;
  }

  async models() {
    return { object: "list", data: (await modelIds(this.#deps)).map(modelObject) };
  }

  async model(id: string) {
    await findModel(this.#deps, id);
    return modelObject(id);
  }

  async chat(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const asked = readChat(request.body);
    return this.#answer(request, reply, asked, (answer) =>
      sendChat({ reply, asked, answer, onError: this.#told }, asked.includeUsage),
    );
  }

  async respond(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const asked = readResponses(request.body);
    const previous = asked.continueFrom === undefined ? null : responseId(asked.continueFrom);
    return this.#answer(request, reply, asked, (answer) =>
      sendResponse({ reply, asked, answer, onError: this.#told }, previous),
    );
  }

  refuse(error: unknown, reply: FastifyReply): FastifyReply {
    const refused = this.#told(error);
    if (refused.status === 429 || refused.status === 503) reply.header("Retry-After", retryAfterSeconds);
    return reply.code(refused.status).send(errorBody(refused));
  }

  readonly #told = (error: unknown): OpenAiError =>
    openAiError(error, (fault) => this.#deps.log.error({ err: fault }, "an answer failed"));

  /** Begins an answer, and ends its run when nobody waits for it any more. */
  async #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked,
    send: (answer: DoorAnswer) => Promise<unknown>,
  ): Promise<unknown> {
    if (this.#answers >= mostAnswers)
      throw new OpenAiError(429, `${mostAnswers} answers are under way: ask again later`);
    this.#answers++;
    const left = new AbortController();
    const leave = () => left.abort();
    reply.raw.once("close", leave);
    try {
      using answer = await answerOf(this.#deps, request, asked, left.signal);
      const cancel = () => answer.cancel();
      left.signal.addEventListener("abort", cancel);
      if (left.signal.aborted) cancel();
      const sent = await send(answer);
      left.signal.removeEventListener("abort", cancel);
      return sent;
    } finally {
      reply.raw.removeListener("close", leave);
      this.#answers--;
    }
  }
}

async function answerOf(
  door: DoorDeps,
  { headers }: FastifyRequest,
  asked: Asked,
  signal: AbortSignal,
): Promise<DoorAnswer> {
  const continueFrom = headerOf(headers["x-cortex-continue"]) ?? asked.continueFrom;
  const name = headerOf(headers["idempotency-key"]);
  if (name !== undefined && name.length > 256)
    throw new OpenAiError(400, "Idempotency-Key: expected at most 256 characters");
  const key = name === undefined ? undefined : createHash("sha256").update(`openai ${name}`).digest("hex");
  const model = await findModel(door, asked.model);
  if (model.kind === "persona")
    return askPersona(door, {
      persona: model.name,
      asked,
      continueFrom,
      key,
    });
  if (continueFrom !== undefined)
    throw new OpenAiError(400, `${asked.model} goes on from its own conversation: leave X-Cortex-Continue out`);
  return askCompanion(door, { agent: model.id, isMade: model.isMade, asked, key, signal });
}

const headerOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** @param onFault hears of what is our own fault */
function openAiError(error: unknown, onFault: (error: unknown) => void): OpenAiError {
  if (error instanceof OpenAiError) return error;
  if (error instanceof AttachmentError) return new OpenAiError(400, error.message);
  if (error instanceof WorkspaceError) return new OpenAiError(workspaceStatus(error), error.message);
  if (error instanceof UnavailableError || error instanceof NoAgentsError)
    return new OpenAiError(503, error.message, { code: "unavailable" });
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return new OpenAiError(status, (error as Error).message);
  onFault(error);
  return new OpenAiError(500, "the server failed: its log says why");
}

function workspaceStatus({ code }: WorkspaceError): number {
  const statuses: Record<string, number> = { not_found: 404, too_large: 413, rate_limited: 429, conflict: 409 };
  return statuses[code] ?? 400;
}

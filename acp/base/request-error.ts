/** Failures as JSON-RPC tells them: an error whose message says in words what is wrong, and `data.reason` for programs. */
import { RequestError } from "@agentclientprotocol/sdk";
import { NoAgentsError } from "../../bus/agents/agent-calls.ts";
import { ChannelFullError, MessageTooLargeError } from "../../bus/agents/inbound-refusals.ts";
import { RejectedError } from "../../bus/runs/client.ts";
import { isAway } from "../../bus/runs/ask-again.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { type Unheard, unheardWords } from "../../protocol/agents/message-place.ts";
import type { ErrorReason } from "../../protocol/events/error-reason.ts";
import { type AcpDeps, NothingRunsError } from "./acp-deps.ts";

/** A run that failed. */
export class RunFailedError extends Error {
  override name = "RunFailedError";
  readonly run: string;
  readonly reason: ErrorReason;
  constructor(run: string, error: string, reason: ErrorReason = "internal") {
    super(error);
    this.run = run;
    this.reason = reason;
  }
}

/** No turn of an agent hears what was said to it. */
export class UnheardError extends Error {
  override name = "UnheardError";
  readonly reason: ErrorReason;
  constructor(why: Unheard) {
    super(unheardWords[why]);
    this.reason = why === "taken_back" ? "cancelled" : "internal";
  }
}

/** JSON-RPC's codes: of a request that can't be done as it stands, and of one that failed. */
const [invalidRequest, invalidParams, internal] = [-32_600, -32_602, -32_603];

/** The session can't do now what is asked. */
export const refusedNow = (message: string) => new RequestError(invalidRequest, message);

/** A field that isn't right. */
export const wrongParams = (message: string) => new RequestError(invalidParams, message);

/** Runs a handler; its failure becomes an error in words. */
export async function answering<T>({ log }: Pick<AcpDeps, "log">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw requestError(error, log);
  }
}

function requestError(error: unknown, log: AcpDeps["log"]): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof AttachmentError || error instanceof MessageTooLargeError) return wrongParams(error.message);
  if (error instanceof RunFailedError)
    return new RequestError(internal, error.message, { reason: error.reason, run: error.run });
  if (error instanceof UnheardError) return new RequestError(internal, error.message, { reason: error.reason });
  if (error instanceof RejectedError)
    return new RequestError(error.reason === "overloaded" ? internal : invalidParams, error.message, {
      reason: error.reason,
    });
  if (error instanceof NothingRunsError || error instanceof NoAgentsError || error instanceof ChannelFullError)
    return new RequestError(internal, error.message, { reason: "unavailable" });
  if (isAway(error))
    return new RequestError(internal, "cortex doesn't answer now: cortex status says why", { reason: "unavailable" });
  log.error({ err: error }, "a request failed");
  return new RequestError(internal, "cortex acp failed at this: its log on stderr says why", { reason: "internal" });
}

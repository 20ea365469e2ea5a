/** Failed calls of Twilio's API as delivery errors. They never hold the auth token. */
import { z } from "zod";
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { PermanentDeliveryError, RetryableDeliveryError, unconnectedCode } from "../adapter/delivery-errors.ts";

/** The account's id and token aren't taken: nothing can go on. */
export class CredentialsRefusedError extends RetryableDeliveryError {}

/** The person of that number has sent STOP. */
export class UnsubscribedError extends PermanentDeliveryError {}

/** From Twilio: "Attempt to send to unsubscribed recipient". */
export const unsubscribedCode = 21610;

const Problem = z.looseObject({ code: z.number().int().optional(), message: z.string().optional() });

/** The error that an answer means which isn't a success. */
export function failureOf(status: number, body: string, afterMs: number | undefined): Error {
  const { code, message = "" } = problemOf(body);
  const text = `Twilio: ${status} ${[code, visibleLine(message).slice(0, 500)].filter(Boolean).join(" ")}`.trim();
  if (status === 401) return new CredentialsRefusedError(text);
  if (code === unsubscribedCode) return new UnsubscribedError(text);
  if (status === 429 || code === 20429) return new RetryableDeliveryError(text, afterMs);
  return status >= 500 ? new Error(text) : new PermanentDeliveryError(text);
}

/** The error that a call means which got no answer. */
export function noAnswer(error: unknown): Error {
  const code = unconnectedCode(error);
  if (code !== undefined) return new RetryableDeliveryError(`Twilio can't be reached: ${code}`);
  return new Error(`Twilio didn't answer: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return "the connection failed";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

function problemOf(body: string): z.infer<typeof Problem> {
  try {
    return Problem.safeParse(parseJson(body)).data ?? {};
  } catch {
    return {};
  }
}

/** Conversion of failed calls of Slack's API into delivery errors. Their texts are ours: no token and no address stands in them. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from "@slack/web-api";
import {
  failureOfStatus,
  PermanentDeliveryError,
  RetryableDeliveryError,
  unconnectedCode,
} from "../../adapter/delivery-errors.ts";

/** The token is wrong, or was taken back. Nothing has arrived, and nothing is lost: it goes out once the token is right. */
export class TokenRefusedError extends RetryableDeliveryError {}

/** A call that Slack refuses, by its code. */
export class SlackRefusalError extends PermanentDeliveryError {
  readonly code: string;

  constructor(code: string) {
    super(`Slack: ${code}`);
    this.code = code;
  }
}

/** A call of which nobody knows whether it arrived. */
class UnknownOutcomeError extends Error {
  override name = "UnknownOutcomeError";
}

const tokenCodes = [
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
  "user_removed_from_team",
  "team_disabled",
];
/** Nothing was done, and the same may work later. */
const passingCodes = ["ratelimited", "rate_limited", "service_unavailable", "request_timeout"];
/** By Slack's reference, some of the call may have been done. */
const unknownCodes = ["fatal_error", "internal_error"];

/** Whether an error says already what became of the call. */
const isKnown = (error: unknown): error is Error =>
  [PermanentDeliveryError, RetryableDeliveryError, UnknownOutcomeError].some((known) => error instanceof known);

/** How the client's words begin for a limit (429) that doesn't say how long it lasts. */
const limitWithoutTime = "Retry header did not contain";

const codePattern = /^[a-z][a-z0-9_]{1,80}$/;

/** @returns SlackRefusalError, RetryableDeliveryError, TokenRefusedError, or UnknownOutcomeError */
export function toDeliveryError(error: unknown): Error {
  if (isKnown(error)) return error;
  if (error instanceof WebAPIRateLimitedError)
    return new RetryableDeliveryError("Slack: ratelimited", error.retryAfter * 1000);
  if (error instanceof Error && error.message.startsWith(limitWithoutTime))
    return new RetryableDeliveryError("Slack: ratelimited");
  if (error instanceof WebAPIPlatformError) return errorOfAnswer(error.data.error);
  if (error instanceof WebAPIHTTPError) {
    const failure = failureOfStatus(error.statusCode, "Slack");
    return isKnown(failure) ? failure : new UnknownOutcomeError(`Slack answered ${error.statusCode}`);
  }
  if (error instanceof WebAPIRequestError) {
    const code = unconnectedCode(error.original);
    if (code !== undefined) return new RetryableDeliveryError(`Slack can't be reached: ${code}`);
    return new UnknownOutcomeError(`Slack didn't answer: ${causeOf(error.original)}`);
  }
  // Whatever it is, its text may have an address in it.
  return new UnknownOutcomeError(`the call of Slack failed: ${error instanceof Error ? error.name : typeof error}`);
}

/** Work of which nobody sees anything: it fails for good, or may be done again. @throws a delivery error */
export async function unseen<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const problem = toDeliveryError(error);
    throw problem instanceof UnknownOutcomeError ? new RetryableDeliveryError(problem.message) : problem;
  }
}

/** The client gives the text of an answer that it can't read as its error: then nobody knows. */
function errorOfAnswer(code: string): Error {
  if (!codePattern.test(code)) return new UnknownOutcomeError("Slack's answer can't be read");
  if (tokenCodes.includes(code)) return new TokenRefusedError(`Slack refuses the token: ${code}`);
  if (passingCodes.includes(code)) return new RetryableDeliveryError(`Slack: ${code}`);
  return unknownCodes.includes(code) ? new UnknownOutcomeError(`Slack: ${code}`) : new SlackRefusalError(code);
}

function causeOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : error.name;
}

/** Conversion of failed calls of the Bot API into delivery errors. They never hold the token: addresses of calls do. */
import { GrammyError, HttpError } from "grammy";
import { RetryableDeliveryError, PermanentDeliveryError, unconnectedCode } from "../../adapter/delivery-errors.ts";

/** The token is wrong, or was taken back. Nothing has arrived, and nothing is lost: it goes out once the token is right. */
export class TokenRefusedError extends RetryableDeliveryError {}

/** @returns PermanentDeliveryError, RetryableDeliveryError, TokenRefusedError, or an error of which nobody knows whether the call arrived */
export function toDeliveryError(error: unknown): Error {
  if (error instanceof GrammyError) return errorOfAnswer(error);
  if (error instanceof HttpError) {
    const code = unconnectedCode(error.error);
    if (code !== undefined) return new RetryableDeliveryError(`Telegram can't be reached: ${code}`);
    return new Error(`Telegram didn't answer: ${codeOf(error.error) ?? "the connection failed"}`);
  }
  // Whatever it is, its text may have the address in it.
  return new Error(`the call of Telegram failed: ${error instanceof Error ? error.name : typeof error}`);
}

/** Another program asks for the same bot's news. */
export const isConflict = (error: unknown) => error instanceof GrammyError && error.error_code === 409;

/** The bot has a webhook: nobody may ask for its news. */
export const isConflictWithWebhook = (error: unknown) =>
  error instanceof GrammyError && error.error_code === 409 && /webhook/i.test(error.description);

function errorOfAnswer({ error_code, description, parameters }: GrammyError): Error {
  const text = `Telegram: ${error_code} ${description}`;
  if (error_code === 401 || error_code === 404) return new TokenRefusedError(text);
  if (error_code === 429 || error_code === 503)
    return new RetryableDeliveryError(
      text,
      parameters.retry_after === undefined ? undefined : parameters.retry_after * 1000,
    );
  return error_code >= 500 ? new Error(text) : new PermanentDeliveryError(text);
}

/** The code of an error, or of what it was caused by; else its name. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string") return at.code;
  return error instanceof Error ? error.name : undefined;
}

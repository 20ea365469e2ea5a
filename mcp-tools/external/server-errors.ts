/** The meaning of an error of a connection to an external server. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/server";
import { hasCode } from "../../files/errors/errno.ts";
import { messageOf } from "../../files/errors/error-message.ts";

/** Whether no answer came in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;

/** Whether the server has answered, with an error. */
export const isAnswer = (error: unknown): boolean => error instanceof ProtocolError;

/** Whether a server answered with an error, or its connection was closed before it did. */
export const isOfProtocol = (error: unknown): boolean =>
  isAnswer(error) || (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed);

/** Whether the server has nothing of such a call: it isn't there, or it has forgotten whom it talks to. */
export function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SdkHttpError) return error.status === 404 || error.status === 400;
  return hasCode(error.cause, "ECONNREFUSED");
}

/** An error's message; that of its cause where `fetch` failed, whose TypeError itself says nothing. */
export function reasonOf(error: unknown): string {
  const isEmpty = error instanceof TypeError && error.cause instanceof Error;
  return messageOf(isEmpty ? error.cause : error);
}

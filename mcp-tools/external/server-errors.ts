/** The meaning of an error of a connection to an external server. */
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { hasCode } from "../../files/errors/errno.ts";
import { messageOf } from "../../files/errors/error-message.ts";

const timeoutCode: number = ErrorCode.RequestTimeout;

/** Whether no answer came in time. */
export const isTimeout = (error: unknown): boolean => error instanceof McpError && error.code === timeoutCode;

/** Whether the server has nothing of such a call: it isn't there, or it has forgotten whom it talks to. */
export function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of the SDK's transports the code is an HTTP status; that of an McpError is JSON-RPC's.
  if ("code" in error && !(error instanceof McpError) && typeof error.code === "number")
    return error.code === 404 || error.code === 400;
  return hasCode(error.cause, "ECONNREFUSED");
}

/** An error's message; that of its cause where `fetch` failed, whose TypeError itself says nothing. */
export function reasonOf(error: unknown): string {
  const isEmpty = error instanceof TypeError && error.cause instanceof Error;
  return messageOf(isEmpty ? error.cause : error);
}

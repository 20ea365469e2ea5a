/** Asks an address of the settings for JSON: it may be on this machine, and leads to no other place. */
import { fetch } from "../../proc/http/fetch.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { ToolError } from "../tool/tool-error.ts";

export type JsonAnswer = {
  status: number;
  headers: { get(name: string): string | null; has(name: string): boolean };
  /** Undefined where the body isn't JSON. */
  json: unknown;
};

const maxBytes = 2 * 1024 * 1024;
const timeoutMs = 20_000;

/** @throws ToolError when nobody answers, or not in time */
export async function askForJson(
  address: URL,
  headers: Record<string, string>,
  given: AbortSignal | undefined,
): Promise<JsonAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = given ? AbortSignal.any([given, timeout]) : timeout;
  try {
    // Followed, a redirect would take the key along, or lead into this machine's network.
    const init = { headers: { Accept: "application/json", ...headers }, redirect: "manual" as const, signal };
    const response = await fetch(address, init);
    return { status: response.status, headers: response.headers, json: await bodyOf(response) };
  } catch (error) {
    if (error instanceof ToolError || given?.aborted) throw error;
    const why = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error);
    throw new ToolError(`the search at ${address.origin} can't be asked: ${why}`, { cause: error });
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new ToolError(`the search answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return parseJson(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
}

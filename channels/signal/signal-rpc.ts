/** Calls of signal-cli's daemon: JSON-RPC at `/api/v1/rpc`. */
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { unconnectedCode } from "../adapter/delivery-errors.ts";
import { readBounded } from "../adapter/calls/read-bounded.ts";
import type { SignalConfig } from "./signal-config.ts";

const withinMs = 50_000;
const usualMaxBytes = 1024 * 1024;

const Answer = z.looseObject({
  result: z.unknown().optional(),
  error: z
    .looseObject({ code: z.number().int(), message: z.string().default(""), data: z.unknown().optional() })
    .nullish(),
});

/** signal-cli says no, with its code. */
export class RefusedCallError extends Error {
  override name = "RefusedCallError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A call that got no answer that can be read. `isSent`: whether it may have been carried out. */
export class NoAnswerError extends Error {
  override name = "NoAnswerError";
  readonly isSent: boolean;

  constructor(message: string, isSent: boolean) {
    super(message);
    this.isSent = isSent;
  }
}

export type SignalRpc = (
  method: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
  maxBytes?: number,
) => Promise<unknown>;

/** @throws RefusedCallError, NoAnswerError */
export function signalRpc({ url, number }: SignalConfig): SignalRpc {
  return async (method, params, signal, maxBytes = usualMaxBytes) => {
    // Where the daemon has several accounts, it has to know which.
    const body = JSON.stringify({ jsonrpc: "2.0", id: "1", method, params: { account: number, ...params } });
    const asked = fetch(`${url}/api/v1/rpc`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json" },
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
    });
    const [response, text] = await asked
      .then(async (answer) => [answer, (await readBounded(answer, maxBytes)).toString("utf8")] as const)
      .catch((error: unknown) => {
        throw noAnswer(error);
      });
    if (!response.ok) throw new NoAnswerError(`signal-cli answered ${response.status}`, response.status >= 500);
    const answer = Answer.safeParse(asJson(text));
    if (!answer.success) throw new NoAnswerError("signal-cli's answer can't be read", true);
    const { result, error } = answer.data;
    if (error) throw new RefusedCallError(error.code, error.message.slice(0, 1000), error.data);
    return result;
  };
}

function noAnswer(error: unknown): NoAnswerError {
  const code = unconnectedCode(error);
  if (code !== undefined) return new NoAnswerError(`signal-cli can't be reached: ${code}`, false);
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return new NoAnswerError(`signal-cli didn't answer: ${cause instanceof Error ? cause.message : String(cause)}`, true);
}

function asJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

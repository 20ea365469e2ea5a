/** Keeps an exchange beside its run, where that is asked for: bytes as they passed, up to a length, and no key. */
import type { Exchange } from "../../journal/runs/recorded-calls.ts";
import { tryParseOwnJson } from "../../protocol/json/parse-json.ts";

/** Bytes of an answer that are kept. */
const mostBytes = 16 * 1024 * 1024;

export class AnswerRecorder {
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= mostBytes) this.#parts.push(bytes);
  }

  /** @param isWhole whether the answer has come to its end */
  response(status: number, headers: NodeJS.Dict<string[]>, isWhole: boolean): Exchange["response"] {
    const isCut = !isWhole || this.#bytes > mostBytes;
    return {
      status,
      headers: asText(headers),
      body: bodyOf(Buffer.concat(this.#parts)),
      ...(isCut && { cut: true as const }),
    };
  }
}

/** JSON as it is, anything else as text. */
export function bodyOf(bytes: Buffer): unknown {
  const text = bytes.toString("utf8");
  return tryParseOwnJson(text) ?? text;
}

export const asText = (headers: NodeJS.Dict<string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, values = []]) => [name, values.join(", ")]));

/** Estimates of what a call uses, from the sizes of what is sent and answered. Rather too much than too little. Pure. */
import { isRecord } from "../../protocol/json/json-object.ts";
import type { HeardUsage } from "../dialects/dialect.ts";

/** Bytes of a request that are a token at least: nearly all text has more to a token. */
const bytesPerToken = 3;
/** Characters of an answer. */
const charsPerToken = 3;

/** The longest answer of a call without a limit, in tokens. */
const usualMost = 16_384;
/** The longest likely answer of a call that nobody can tell about any more, in tokens. */
const usualAnswer = 4096;

/** Characters of a file's content in a request that are looked at, and what it is taken for: an image of usual size. */
const leastData = 4096;
const dataBytes = 4500;

/** How large a request is to a model: a file in it is far fewer tokens than its bytes would be as text. */
export const requestBytes = (bytes: number, body: unknown): number => Math.max(0, bytes - dataExcess(body));

function dataExcess(value: unknown): number {
  if (typeof value === "string") return isData(value) ? value.length - dataBytes : 0;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + dataExcess(one), 0);
  return isRecord(value) ? Object.values(value).reduce((sum: number, one) => sum + dataExcess(one), 0) : 0;
}

/** Whether a text is a file's content: so long, and not a blank in it. */
const isData = (text: string) => text.length > 2 * leastData && !/\s/.test(text.slice(0, leastData));

export const inputTokens = (bodyBytes: number) => Math.ceil(bodyBytes / bytesPerToken);

export const mostTokens = (bodyBytes: number, maxOutputTokens = usualMost) => ({
  input_tokens: inputTokens(bodyBytes),
  output_tokens: maxOutputTokens,
});

export const likelyTokens = (bodyBytes: number, maxOutputTokens = usualMost) => ({
  input_tokens: inputTokens(bodyBytes),
  output_tokens: Math.min(maxOutputTokens, usualAnswer),
});

/** The tokens for which an exchange is taken whose provider hasn't said all. */
export const heardTokens = (bodyBytes: number, heard: HeardUsage) => ({
  input_tokens: heard.input_tokens ?? inputTokens(bodyBytes),
  output_tokens: Math.max(heard.output_tokens ?? 0, Math.ceil(heard.chars / charsPerToken)),
});

/** How many tokens a conversation is, roughly: enough to see a limit coming, never to bill by. Pure. */
import { isRecord } from "../protocol/json/json-object.ts";
import type { Message } from "../protocol/runs/run-config.ts";

/** English prose and code have about four characters a token in the tokenizers of all providers; other scripts have fewer. */
const charactersPerToken = 4;

/** Roles and separators. */
const tokensPerMessage = 4;

/** An image counts by its size in pixels, which isn't known here: about that of a large one. */
const tokensPerImage = 1600;

export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensPerMessage + tokensOf(message), 0);
}

function tokensOf(value: unknown): number {
  if (typeof value === "string") return Math.ceil(value.length / charactersPerToken);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensOf(item), 0);
  if (!isRecord(value)) return value === undefined ? 0 : 1;
  if (value["type"] === "image") return tokensPerImage;
  return Object.entries(value).reduce((sum, [key, field]) => sum + tokensOf(key) + tokensOf(field), 0);
}

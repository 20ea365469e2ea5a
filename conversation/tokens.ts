/** How many tokens a conversation is, roughly: enough to see a limit coming, never to bill by. Pure. */
import { isRecord } from "../protocol/json/json-object.ts";
import type { Message } from "../protocol/runs/run-config.ts";

/** English prose and code have about four characters a token in the tokenizers of all providers; other scripts have fewer. */
const charactersPerToken = 4;

/** Roles and separators. */
const tokensPerMessage = 4;

/**
 * Of files, as the providers count them. An image, scaled to what they look at: 1,568 × 1,568 pixels at one token for 750 of
 * them are Anthropic's most, and about the most of OpenAI's tiles of 512 pixels and of Google's of 768. A page of a PDF is
 * its text and an image; sound, 32 tokens a second at Google. How many pages and seconds there are is guessed by the size.
 */
const tokensPerImage = 1600;
const [tokensPerPage, bytesPerPage] = [2000, 60_000];
const [tokensPerSecond, bytesPerSecond] = [32, 4000];
/** Of a text no more than this is shown. */
const shownTextBytes = 256 * 1024;

export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensPerMessage + tokensOf(message), 0);
}

function tokensOf(value: unknown): number {
  if (typeof value === "string") return Math.ceil(value.length / charactersPerToken);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensOf(item), 0);
  if (!isRecord(value)) return value === undefined ? 0 : 1;
  if (value["type"] === "image") return tokensPerImage;
  if (value["type"] === "file") return tokensOfFile(String(value["mime"]), Number(value["size"]) || 0);
  return Object.entries(value).reduce((sum, [key, field]) => sum + tokensOf(key) + tokensOf(field), 0);
}

function tokensOfFile(mime: string, size: number): number {
  if (mime.startsWith("image/")) return tokensPerImage;
  if (mime === "application/pdf") return Math.ceil(size / bytesPerPage) * tokensPerPage;
  if (mime.startsWith("audio/")) return Math.ceil(size / bytesPerSecond) * tokensPerSecond;
  const isText = mime.startsWith("text/") || mime === "application/json";
  return isText ? Math.ceil(Math.min(size, shownTextBytes) / charactersPerToken) : tokensOfLine;
}

/** Of a line that names a file. */
const tokensOfLine = 50;

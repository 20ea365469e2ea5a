/** How many tokens a conversation is, roughly: enough to see a limit coming, never to bill by. Pure. */
import type { ImageSize } from "../../protocol/files/image-size.ts";
import { imageTokens } from "../../protocol/files/image-tokens.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { textTokens } from "./text-tokens.ts";

/** Bytes for each token of a text file of which nothing but its size is known. */
const bytesPerToken = 4;

/** Roles and separators. */
const tokensPerMessage = 4;

/**
 * Tokens of files, as the providers count them. A page of a PDF is its text and an image; sound, 32 tokens a second at
 * Google. How many pages and seconds there are is guessed by the size.
 */
const [tokensPerPage, bytesPerPage] = [2000, 60_000];
const [tokensPerSecond, bytesPerSecond] = [32, 4000];
/** Bytes of a text that are shown at most. */
const shownTextBytes = 256 * 1024;

/**
 * Estimates the tokens of messages. Files in them may have `width` and `height`.
 * @param seller of the model, which says how images are counted; absent: as whoever counts the most
 */
export function estimateTokens(messages: readonly Message[], seller?: string | null): number {
  return messages.reduce((sum, message) => sum + tokensPerMessage + tokensOf(message, seller), 0);
}

function tokensOf(value: unknown, seller: string | null | undefined): number {
  if (typeof value === "string") return textTokens(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensOf(item, seller), 0);
  if (!isRecord(value)) return value === undefined ? 0 : 1;
  if (value["type"] === "image") return imageTokens(null, 0);
  if (value["type"] === "file" && String(value["mime"]).startsWith("image/"))
    return imageTokens(pixelsOf(value), Number(value["size"]) || 0, seller);
  if (value["type"] === "file") return tokensOfFile(String(value["mime"]), Number(value["size"]) || 0);
  return Object.entries(value).reduce((sum, [key, field]) => sum + tokensOf(key, seller) + tokensOf(field, seller), 0);
}

function pixelsOf({ width, height }: Record<string, unknown>): ImageSize | null {
  return typeof width === "number" && typeof height === "number" ? { width, height } : null;
}

function tokensOfFile(mime: string, size: number): number {
  if (mime === "application/pdf") return Math.ceil(size / bytesPerPage) * tokensPerPage;
  if (mime.startsWith("audio/")) return Math.ceil(size / bytesPerSecond) * tokensPerSecond;
  const isText = mime.startsWith("text/") || mime === "application/json";
  return isText ? Math.ceil(Math.min(size, shownTextBytes) / bytesPerToken) : tokensOfLine;
}

/** Tokens of a line that names a file. */
const tokensOfLine = 50;

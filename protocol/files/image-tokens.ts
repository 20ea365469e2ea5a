/** How many tokens an image is, as each provider counts them. Pure. */
import { type ImageSize, shownSize } from "./image-size.ts";

/**
 * Each from its provider's guide to images:
 * - Anthropic: a token for 750 pixels, of an image that is scaled down to 1568 pixels a side and to about 1600 tokens.
 * - OpenAI: scaled into 2048 pixels a side, then to 768 of the shorter one; each tile of 512 is 170, and 85 go to the whole.
 * - Google: 258 up to 384 pixels a side, else for each tile, whose side is two thirds of the shorter one, from 256 to 768.
 */
const counts = { anthropic, openai, google };
const sellers: readonly string[] = Object.keys(counts);

/** Tokens of an image whose size isn't known. */
const unknownSize = 1600;

/**
 * Estimates the tokens of an image, after it was scaled to what is sent.
 * @param seller of the model; another than these, or none: the most that any of them counts
 */
export function imageTokens(size: ImageSize | null, bytes: number, seller?: string | null): number {
  if (!size) return unknownSize;
  const shown = shownSize(size, bytes);
  const known = sellers.find((name) => name === seller) as keyof typeof counts | undefined;
  return known ? counts[known](shown) : Math.max(...Object.values(counts).map((count) => count(shown)));
}

function anthropic(size: ImageSize): number {
  const { width, height } = scaledInto(size, 1568);
  return Math.min(1600, Math.ceil((width * height) / 750));
}

function openai(size: ImageSize): number {
  const { width, height } = scaledInto(size, 2048);
  const scale = Math.min(1, 768 / Math.min(width, height));
  return 85 + 170 * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

function google({ width, height }: ImageSize): number {
  if (Math.max(width, height) <= 384) return 258;
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return 258 * Math.ceil(width / side) * Math.ceil(height / side);
}

function scaledInto({ width, height }: ImageSize, side: number): ImageSize {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: width * scale, height: height * scale };
}

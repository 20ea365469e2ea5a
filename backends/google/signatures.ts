/**
 * Which part of an answer was signed, and with what. The API wants each signature back on the same part; the neutral
 * conversation has no place for one on a text or a call, so it travels as reasoning in front of it.
 */
import { z } from "zod";
import type { Reasoning } from "../../protocol/runs/run-config.ts";

const signature = z.string().min(1);

/** The content of `opaque`. */
export const Signature = z.discriminatedUnion("part", [
  /** The reasoning itself: its `summary` is the part. */
  z.object({ part: z.literal("thought"), signature }),
  /** A piece of text. Often an empty one, behind the last: `behind` is the end of that one, since links may follow it. */
  z.object({ part: z.literal("text"), signature, text: z.string(), behind: z.string().optional() }),
  /** A call, by its place among the calls of the message, from 0. Of parallel ones only the first is signed. */
  z.object({ part: z.literal("call"), signature, call: z.number().int().nonnegative() }),
  /** A search of the API's own, or what it found: the part as it came. */
  z.object({ part: z.literal("search"), whole: z.record(z.string(), z.unknown()) }),
]);
export type Signature = z.infer<typeof Signature>;

/** The signed parts of a message, with the words of each. */
export function signaturesIn(reasoning: readonly Reasoning[] = []): { signed: Signature; summary: string }[] {
  return reasoning.flatMap(({ opaque, summary = "" }) => {
    const { success, data } = Signature.safeParse(opaque);
    return success ? [{ signed: data, summary }] : [];
  });
}

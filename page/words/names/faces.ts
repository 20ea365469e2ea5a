/** The signs by which people and agents are known at a glance. Pure. */
import { visible } from "../text/visible-text.ts";

/** The colours that an agent's sign may have, `--face-1` on: styles/tokens.css. */
export const faceHues = 6;

/** Finds the colour of an agent's sign, 1 to `faceHues`: the same wherever its slug is. */
export function hueOf(slug: string): number {
  let sum = 0;
  for (const letter of slug) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997;
  return (sum % faceHues) + 1;
}

/** As many signs as there is room for. */
const mostSigns = 2;
const signs = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export type Sign = { kind: "text"; text: string } | { kind: "picture"; address: string };

/** Only kinds that can run nothing, and nothing that would have to be fetched from elsewhere. */
const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** Reads an avatar: one or two signs such as 🌱, or a small picture. Null for all else: then it is its initial. */
export function signOf(avatar: string | null): Sign | null {
  if (avatar === null) return null;
  if (picture.test(avatar)) return { kind: "picture", address: avatar };
  const text = visible(avatar.trim());
  const count = [...signs.segment(text.slice(0, 100))].length;
  return count >= 1 && count <= mostSigns ? { kind: "text", text } : null;
}

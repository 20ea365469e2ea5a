/** The arguments of a call as a person who decides on it gets them: cut where they are long, since they go over the bus. Pure. */
import { cutDepth } from "../../protocol/json/cut-depth.ts";
import { cutStrings } from "../../protocol/json/cut-strings.ts";

const longestString = 16_384;
const mostBytes = 128 * 1024;

export function shownArgs(args: unknown): unknown {
  const cut = cutStrings(cutDepth(args), longestString) ?? {};
  const text = JSON.stringify(cut) ?? "";
  return Buffer.byteLength(text) <= mostBytes ? cut : `${text.slice(0, longestString)} … (cut)`;
}

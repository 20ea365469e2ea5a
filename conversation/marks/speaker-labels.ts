/**
 * The names behind which people and agents speak in a thread, `[Ada]:` and `[Coder (AI)]:`, and the lines that are the
 * workspace's own. Nobody else can write them: in whatever comes from outside such lines are quoted. Pure.
 */
import { madeOnce } from "./made-once.ts";
import { unmarked } from "./system-message.ts";

/** How the line on who asks begins. Nobody else may write a line like it. */
export const askerLine = "The person asking is ";

/** How a note of the workspace's own begins, in a user's turn. */
export const noteBegin = "(From the workspace: ";

/** Lines, by all that anybody may take for a break. */
const lines = madeOnce(() => /[^[\p{Cc}--\t]\u2028\u2029]+/gv);

/** Blanks, what nobody sees, and the signs of Markdown that are not shown; and whatever else there is. */
const unseen = madeOnce(() => /[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800*_~`]+/gu);
const seen = madeOnce(() => /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800*_~`]/u);

/** The brackets and colons that NFKC doesn't make plain. */
const [openings, closings, colons] = [/[⁅❲⟦⦋⦗〔【〖〘〚]/gu, /[⁆❳⟧⦌⦘〕】〗〙〛]/gu, /[∶ː꞉׃˸⁚]/gu];

/**
 * The begin of a line that reads as another's, without what isn't seen, in small letters: the name of a speaker, or the
 * workspace's own words.
 */
const ofOthers = /^(?:\[[^\]]{0,250}\]:|thepersonaskingis|\(fromtheworkspace:)/u;

/** Characters of a line that are looked at: more than any name has. */
const headCharacters = 1000;

/** With which such a line can begin, of the letters that are what they look like. */
const beginsOthers = new Set("[(tT");
const lastPlain = "\x7f";
const shortestLabel = "[]:".length;

/** Quotes lines that look like the name of a speaker, or like the workspace's own, in whatever characters; without our marks. */
export function quoteLabels(text: string): string {
  return unmarked(text).replace(lines(), (line) => (isOfOthers(line) ? `> ${line}` : line));
}

function isOfOthers(line: string): boolean {
  const begin = line.search(seen());
  const first = line[begin];
  // Most lines are done with here: there may be a million of them.
  if (first === undefined || line.length - begin < shortestLabel || (first <= lastPlain && !beginsOthers.has(first)))
    return false;
  const head = plain(line.slice(begin, begin + headCharacters))
    .replace(unseen(), "")
    .toLowerCase();
  return ofOthers.test(head);
}

const plain = (text: string) =>
  text.normalize("NFKC").replace(openings, "[").replace(closings, "]").replace(colons, ":");

/** A name within its brackets, on one line. `(AI)` is for agents. */
export function speakerName(name: string): string {
  return plain(name)
    .replace(/[[\]\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu, " ")
    .replace(/\s+/g, " ")
    .replace(/\( ?A ?I ?\)/gi, "(ai?)")
    .trim();
}

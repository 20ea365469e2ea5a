/** Why something failed, as a sentence. Pure. */
import { cutText, visible } from "../text/visible-text.ts";

/** Longer messages are cut: they may name what somebody wrote. In characters. */
const longest = 2000;

/** The message of an error, and what helps; it may hold the names of files, and the words of a model. */
export const messageOf = (error: unknown): string => visible(cutText(sentenceOf(error), longest).text);

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  const hint = "hint" in error && typeof error.hint === "string" ? `: ${error.hint}` : "";
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${hint}`;
}

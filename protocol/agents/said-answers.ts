/** Answers to questions for a permission that an owner gives in words, the same in every channel: `allow 5f0c8d0e`. Pure. */
import type { PermissionDecision } from "./channel.ts";

/** @field question how its id begins */
export type SaidAnswer = { question: string } & Pick<PermissionDecision, "decision" | "always" | "reason">;

/** So many characters of a question's id are shown, and have to be said at least. */
export const shownIdLength = 8;

/** Characters of the longest answer, from `PermissionDecision`. */
const longest = 2000;

/**
 * The answer that a text is, if there is such a question; null: it is none, and for the agent. A reason is for a denial alone:
 * behind "allow" it may be a condition, to which nobody would hold.
 */
export function saidAnswerIn(text: string): SaidAnswer | null {
  if (text.length > longest) return null;
  const [said = "", question = "", ...rest] = text.trim().split(/\s+/);
  const word = said.toLowerCase().replace(/^\//, "");
  if (question.length < shownIdLength || (rest.length > 0 && word !== "deny")) return null;
  switch (word) {
    case "allow":
      return { question, decision: "allow" };
    case "always":
      return { question, decision: "allow", always: true };
    case "deny":
      return { question, decision: "deny", ...(rest.length > 0 && { reason: rest.join(" ") }) };
    default:
      return null;
  }
}

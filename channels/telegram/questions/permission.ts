/** Buttons under a question for a permission, the decision that a press of one makes, and the words that answer it. Pure. */
import type { InlineKeyboardMarkup } from "grammy/types";
import type { PermissionDecision } from "../../../protocol/agents/channel.ts";
import { visibleLine } from "../../../conversation/marks/plain-text.ts";
import type { AskedQuestion } from "../../adapter/questions/asked-question.ts";
import type { KeptQuestion } from "../../../protocol/permissions/call-question.ts";

/** Most characters of the answer to a press, from the Bot API. */
const longestAnswer = 200;

/** The form of what a button carries: 64 bytes at most, from the Bot API. */
const dataPattern = /^(allow|always|deny):([A-Za-z0-9_-]{1,56})$/;

export const buttonsFor = ({ token, isForAlways }: AskedQuestion): InlineKeyboardMarkup => ({
  inline_keyboard: [
    [
      { text: "Allow", callback_data: `allow:${token}` },
      ...(isForAlways ? [{ text: "Always", callback_data: `always:${token}` }] : []),
      { text: "Deny", callback_data: `deny:${token}` },
    ],
  ],
});

/** The decision of a pressed button, or null for one that isn't ours. */
export function decisionOf(data: string): ({ token: string } & Pick<PermissionDecision, "decision" | "always">) | null {
  const [, pressed, token] = dataPattern.exec(data) ?? [];
  if (token === undefined) return null;
  if (pressed === "always") return { token, decision: "allow", always: true };
  return pressed === "allow" || pressed === "deny" ? { token, decision: pressed } : null;
}

/**
 * The words that a press is answered with: another answer may count, given before or meanwhile.
 * @param userId who has pressed
 * @param question before the press, and as it is now; null: it isn't known here
 */
export function answerToPress(
  { decision, always }: Pick<PermissionDecision, "decision" | "always">,
  userId: string,
  question: { before: KeptQuestion | null; now: KeptQuestion | null },
): string {
  const usual = decision === "deny" ? "Denied." : always ? "Allowed, from now on." : "Allowed.";
  const { decision: counts, by = "somebody" } = question.now ?? {};
  const isOwn = by === `telegram:${userId}`;
  if (counts === undefined) return usual;
  if (question.before?.decision === undefined && isOwn && counts === decision) return usual;
  const who = by === "timeout" ? ", since nobody answered" : isOwn ? " by you" : ` by ${visibleLine(by)}`;
  return `Decided before: ${counts === "deny" ? "denied" : "allowed"}${who}.`.slice(0, longestAnswer);
}

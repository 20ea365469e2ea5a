/** Buttons under a question for a permission, and the decision that a press of one makes. Pure. */
import type { InlineKeyboardMarkup } from "grammy/types";
import type { OutboundMessage, PermissionDecision } from "../../protocol/agents/channel.ts";
import { isRecord } from "../../protocol/json/json-object.ts";

/** The form of what a button carries: 64 bytes at most, from the Bot API. */
const tokenPattern = /^[A-Za-z0-9_-]{1,56}$/;
const dataPattern = /^(allow|always|deny):([A-Za-z0-9_-]{1,56})$/;

/** A question: its token, and whether a rule can be kept that allows the like from now on. */
export type PutQuestion = { token: string; isForAlways: boolean };

/** The question that a message asks, or null. */
export function questionOf({ metadata }: OutboundMessage): PutQuestion | null {
  const permission = metadata?.["permission"];
  if (!isRecord(permission)) return null;
  const { token, always } = permission;
  return typeof token === "string" && tokenPattern.test(token) ? { token, isForAlways: always === true } : null;
}

export const buttonsFor = ({ token, isForAlways }: PutQuestion): InlineKeyboardMarkup => ({
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

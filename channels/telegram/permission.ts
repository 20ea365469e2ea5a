/** Buttons under a question for a permission, and the decision that a press of one makes. Pure. */
import type { InlineKeyboardMarkup } from "grammy/types";
import type { OutboundMessage, PermissionDecision } from "../../protocol/agents/channel.ts";
import { isRecord } from "../../protocol/json/json-object.ts";

/** What a button carries is 64 bytes at most, from the Bot API. */
const tokenPattern = /^[A-Za-z0-9_-]{1,56}$/;
const dataPattern = /^(allow|deny):([A-Za-z0-9_-]{1,56})$/;

/** The token of the question that a message asks, or null. */
export function permissionToken({ metadata }: OutboundMessage): string | null {
  const permission = metadata?.["permission"];
  const token = isRecord(permission) ? permission["token"] : undefined;
  return typeof token === "string" && tokenPattern.test(token) ? token : null;
}

export const buttonsFor = (token: string): InlineKeyboardMarkup => ({
  inline_keyboard: [
    [
      { text: "Allow", callback_data: `allow:${token}` },
      { text: "Deny", callback_data: `deny:${token}` },
    ],
  ],
});

/** The decision of a pressed button, or null for one that isn't ours. */
export function decisionOf(data: string): { token: string; decision: PermissionDecision["decision"] } | null {
  const [, decision, token] = dataPattern.exec(data) ?? [];
  return token !== undefined && (decision === "allow" || decision === "deny") ? { token, decision } : null;
}

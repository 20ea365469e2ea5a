/** Buttons under a question for a permission, the decision that a press of one makes, and its outcome in words. Pure. */
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import type { PermissionDecision } from "../../protocol/agents/channel.ts";
import type { AskedQuestion } from "../adapter/questions/asked-question.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";

/** Most characters of a block's text, from Slack's reference. */
export const maxBlockText = 3000;

const tokenPattern = /^[A-Za-z0-9_-]{1,128}$/;
const actions = { cortex_allow: "allow", cortex_always: "allow", cortex_deny: "deny" } as const;

/** The question stands there letter by letter: a star of a command isn't bold type. */
const sectionOf = (text: string) => ({
  type: "section" as const,
  text: { type: "plain_text" as const, text: text.slice(0, maxBlockText), emoji: false },
});

export function questionBlocks(text: string, { token, isForAlways }: AskedQuestion) {
  const button = (action_id: keyof typeof actions, label: string, style?: "primary" | "danger") => ({
    type: "button" as const,
    action_id,
    text: { type: "plain_text" as const, text: label },
    value: token,
    ...(style === undefined ? {} : { style }),
  });
  return [
    sectionOf(text),
    {
      type: "actions" as const,
      elements: [
        button("cortex_allow", "Allow", "primary"),
        ...(isForAlways ? [button("cortex_always", "Always")] : []),
        button("cortex_deny", "Deny", "danger"),
      ],
    },
  ];
}

/** Blocks that take the place of the buttons. */
export function decidedBlocks(text: string, outcome: string) {
  const shown = { type: "plain_text" as const, text: outcome, emoji: false };
  return [...(text.trim() === "" ? [] : [sectionOf(text)]), { type: "context" as const, elements: [shown] }];
}

export type PressedDecision = { token: string } & Pick<PermissionDecision, "decision" | "always">;

/** The decision of a pressed button, or null for one that isn't ours. */
export function decisionOf(action: string, value: string): PressedDecision | null {
  if (!tokenPattern.test(value) || !Object.hasOwn(actions, action)) return null;
  const decision = actions[action as keyof typeof actions];
  return { token: value, decision, ...(action === "cortex_always" && { always: true }) };
}

/** The outcome of a question that was decided, in words. */
export function outcomeOf({
  decision,
  by = "somebody",
  always,
}: Pick<KeptQuestion, "decision" | "by" | "always">): string {
  const word = decision === "deny" ? "Denied" : always ? "Allowed, from now on," : "Allowed";
  return by === "timeout" ? `${word}, since nobody answered.` : `${word} by ${visibleLine(by).slice(0, 256)}.`;
}

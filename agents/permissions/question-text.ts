/** The text of a question, for people. Pure. */
import { visible, visibleLine } from "../../conversation/marks/plain-text.ts";
import type { AgentDescriptor } from "../../protocol/agents/agent-files.ts";
import { shownIdLength } from "../../protocol/agents/said-answers.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";

/** Characters of what is shown. */
const longest = 2000;

/** The id of the message that tells an agent what was decided. */
export const decidedId = (question: string) => `decided-${question}`;

/** @param agent whose call it is */
export function questionText(
  agent: Pick<AgentDescriptor, "name" | "kind"> | undefined,
  { tool, args, why, loop, write_path: path }: KeptQuestion,
): string {
  const who = agent?.name ?? (agent?.kind === "subagent" ? "a sub-agent" : "I");
  if (path !== undefined) return `May ${who} write to ${path}? ${visible(why)}`;
  const what = loop ? `May ${who} go on? ${visibleLine(why)}` : `May ${who} call ${visibleLine(tool)}?`;
  return [what, shownArgs(args), ...(loop ? [] : [visibleLine(why)])].join("\n");
}

/** How an owner answers it in words, with what `always` would keep. */
export function answerHint({ id, rules }: KeptQuestion): string {
  const shown = id.slice(0, shownIdLength);
  const always = rules.length === 0 ? [] : [`always ${shown} keeps: ${visibleLine(JSON.stringify(rules))}`];
  return [`Answer: allow ${shown}, or deny ${shown}`, ...always].join("\n");
}

function shownArgs(args: unknown): string {
  const text = visible(JSON.stringify(args, null, 1) ?? "").slice(0, longest);
  return text.length === longest ? `${text} … (cut)` : text;
}

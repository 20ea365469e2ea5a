/**
 * Tells agents of a question whether one of them may write somewhere: whoever speaks to the user hears silently when it is asked
 * and when it is decided, and the agent that has asked gets the answer as a message. Each has an id: told again, it is one.
 */
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { AgentDirectory } from "../record/directory.ts";
import { decidedId, questionText } from "./question-text.ts";

export async function tellAsked(directory: AgentDirectory, question: KeptQuestion): Promise<void> {
  const { foreground } = directory;
  const agent = directory.get(question.agent ?? "");
  if (!foreground || !agent || foreground === agent) return;
  const text = questionText(agent.descriptor, question);
  await foreground.post(notice(`asked-${question.id}`, `The user was asked: ${text}`));
}

/** Tells an agent what was decided. What was allowed is noted with the agent before it hears of it. */
export async function tellDecided(
  directory: AgentDirectory,
  { id, agent: agentId = "", decision, by, reason, write_path: path = "" }: KeptQuestion,
): Promise<void> {
  const agent = directory.get(agentId);
  if (!agent) return;
  if (decision === "allow") await agent.update({ permissions: [...new Set([...agent.state.permissions, path])] });
  const words = decision === "allow" ? "allowed" : "denied";
  const said = reason === undefined ? "" : ` (${JSON.stringify(reason)})`;
  const why = by === "timeout" ? ": nobody answered" : said;
  const text = `[Permission ${words}] to write to ${path}${why}`;
  await agent.post({ id: decidedId(id), ts: Date.now(), type: "system", origin: "permissions", text });
  const { foreground } = directory;
  if (foreground && foreground !== agent)
    await foreground.post(notice(`told-${id}`, `${text} (asked by ${agent.descriptor.name ?? agent.id})`));
}

const notice = (id: string, text: string): InboxItem => ({
  id,
  ts: Date.now(),
  type: "system",
  silent: true,
  origin: "permissions",
  text,
});

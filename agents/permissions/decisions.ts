/** Decisions that come by channels: an owner's count, the first of them; whoever comes second is told so, where they were asked. */
import type { PermissionDecision } from "../../protocol/agents/channel.ts";
import type { AgentDeps } from "../record/agent-deps.ts";
import { isOwner } from "../inbox/access.ts";
import type { Owners } from "../inbox/owners.ts";
import { DecisionError, type Questions } from "./questions.ts";

type DecisionDeps = Pick<AgentDeps, "log" | "messages"> & { owners: Pick<Owners, "all">; questions: Questions };

/** Takes a decision on a question. Of anybody but an owner nothing comes. */
export async function handleDecision(
  { log, owners, questions, messages }: DecisionDeps,
  id: string,
  { decision, userId, userName, reason, always, channelType }: PermissionDecision,
): Promise<void> {
  const question = await questions.find(id);
  if (!question) return log.warn({ id }, "a decision on what nobody has asked");
  const { channel, agent: agent_id, run: run_id } = question;
  const type = channelType ?? channel?.type ?? "";
  const channelId = type === channel?.type ? channel.channelId : "main";
  if (!isOwner({ type, channelId, userId }, owners.all))
    return log.warn({ id, userId }, "ignoring the decision of a user who isn't an owner");
  const by = `${type}:${userName ?? userId ?? channelId}`;
  const about = { run_id, ...(agent_id !== undefined && { agent_id }) };
  const tell = async (what: string, text: string) =>
    channel && messages.sendNotice(`${what}-${id}`, channel, text, about);
  try {
    if (await questions.decide(id, decision, by, { always, reason })) return;
    const { decision: first, by: who } = questions.kept.get(id) ?? question;
    await tell("late", `This was decided before: ${first === "allow" ? "allowed" : "denied"} by ${who}.`);
  } catch (error) {
    if (!(error instanceof DecisionError)) throw error;
    await tell("undecided", error.message);
  }
}

/** The tasks that a person's message begins: one for each active agent that it mentions, with the version of that moment. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import { allowsPersonas, personaAgent } from "../agents/persona-agents.ts";
import { configOfVersion } from "../agents/versions.ts";
import type { Task } from "../records/task.ts";
import type { Message } from "../records/thread.ts";
import { type Mention, mentionsIn } from "./mentions.ts";
import { addTask } from "../tasks/task-rows.ts";

/**
 * A mention of who isn't known or active is none: it may be anybody's name. Without one, "go on" as the answer to what an agent
 * has said is meant for that agent.
 */
export async function queueAnswers(change: WorkspaceChange, workspaceId: string, message: Message): Promise<Task[]> {
  const mentions = mentionsIn(message.text);
  const agents =
    mentions.length > 0 ? await mentionedAgents(change, workspaceId, mentions) : await continued(change, message);
  const tasks: Task[] = [];
  for (const { id: agent_id, version: agent_version, isAfterPrevious } of agents) {
    const { id: trigger_message_id, thread_id, fork_id, text: prompt } = message;
    const place = { workspace_id: workspaceId, thread_id, fork_id, trigger_message_id };
    const after_task_id = isAfterPrevious ? (tasks.at(-1)?.id ?? null) : null;
    const answer = { agent_id, agent_version, task_type: "message_response", prompt, after_task_id } as const;
    tasks.push(await addTask(change, { ...place, ...answer }));
  }
  return tasks;
}

type AskedAgent = { id: string; version: number; isAfterPrevious: boolean };

async function mentionedAgents(
  change: WorkspaceChange,
  workspaceId: string,
  mentions: readonly Mention[],
): Promise<AskedAgent[]> {
  const bySlug = await ownAgents(change, workspaceId, new Set(mentions.map(({ slug }) => slug)));
  const hasPersonas = bySlug.size < mentions.length && (await allowsPersonas(change, workspaceId));
  const asked: AskedAgent[] = [];
  for (const { slug, isAfterPrevious } of mentions) {
    const agent = bySlug.get(slug) ?? (hasPersonas ? await personaAgent(change, workspaceId, slug) : null);
    if (agent) asked.push({ ...agent, isAfterPrevious });
  }
  return asked;
}

/** The active agents of these slugs, by them, but for those that follow a persona file. */
async function ownAgents(
  { tables }: WorkspaceChange,
  workspaceId: string,
  slugs: ReadonlySet<string>,
): Promise<Map<string, { id: string; version: number }>> {
  // A text may name more than a query takes, so those that there are are asked for, without their prompts.
  const active = await tables
    .selectFrom("agents")
    .select(["id", "slug", "version"])
    .where("workspace_id", "=", workspaceId)
    .where("is_active", "=", 1)
    .execute();
  const found = new Map<string, { id: string; version: number }>();
  for (const { id, slug, version } of active)
    if (slugs.has(slug) && (await configOfVersion(tables, id, version)).persona === null)
      found.set(slug, { id, version });
  return found;
}

/** No text that is longer says that alone. */
const longestGoOn = 40;

/** Whether a text says to go on, and nothing else. */
function saysGoOn(text: string): boolean {
  if (text.length > longestGoOn || !/^[a-z\s,.!…]*$/i.test(text)) return false;
  const words = (text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => word !== "please");
  return words.join(" ") === "go on" || words.join(" ") === "continue";
}

async function continued({ tables }: WorkspaceChange, { text, parent_id }: Message): Promise<AskedAgent[]> {
  if (parent_id === null || !saysGoOn(text)) return [];
  const agent = await tables
    .selectFrom("messages")
    .innerJoin("agents", "agents.id", "messages.author_id")
    .select(["agents.id", "agents.version"])
    .where("messages.id", "=", parent_id)
    .where("messages.author_type", "=", "agent")
    .where("agents.is_active", "=", 1)
    .executeTakeFirst();
  return agent ? [{ ...agent, isAfterPrevious: false }] : [];
}

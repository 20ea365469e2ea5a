/** The parts of the workspace that a task's agent may be shown: read from the tables, of one moment. */
import { sql } from "kysely";
import type { Database } from "../database/connection/open-database.ts";
import type { MessageTable, TaskTable } from "../database/tables/tables.ts";
import type { TaskInput } from "../records/task.ts";
import { WorkspaceSettings } from "../records/workspace-settings.ts";
import { lastBefore, messageFrom } from "../threads/messages.ts";
import { type ContextSources, usualMessages } from "./assemble-context.ts";

type Tables = Pick<Database, "selectFrom">;

/**
 * Messages of a fork, and of a thread that is summed up for the first time, which are shown whole. No request has room
 * for more.
 */
const mostOfWhole = 1000;

/** Bytes of all that is read at once: many times what a request takes, and what a summary is made from. */
const mostBytes = 8 * 1024 * 1024;

/** Behind the answers before it, so that no circle can be followed for ever. */
const mostBefore = 100;

/** @param systemPrompt the agent's own, of the version that the task keeps */
export async function contextSources(tables: Tables, task: TaskTable, systemPrompt: string): Promise<ContextSources> {
  const { page, is_brief, summary_id, settings_json } = await tables
    .selectFrom("threads")
    .innerJoin("workspaces", "workspaces.id", "threads.workspace_id")
    .select(["workspaces.page", "workspaces.settings_json", "threads.is_brief", "threads.summary_id"])
    .where("threads.id", "=", task.thread_id)
    .executeTakeFirstOrThrow();
  const message = await rowOfMessage(tables, task.trigger_message_id);
  const isFirst = summary_id === null && WorkspaceSettings.parse(JSON.parse(settings_json)).thread_summaries;
  return {
    agent: { id: task.agent_id, systemPrompt },
    page,
    isBrief: is_brief === 1,
    fork: await forkOf(tables, task),
    summary: null,
    ...(task.task_type === "message_response"
      ? await askedByMessage(tables, task, message)
      : await askedByWorkspace(tables, task, isFirst ? mostOfWhole : usualMessages)),
  };
}

type Asked = Pick<ContextSources, "earlier" | "begunOn" | "trigger" | "asker">;

/** A member's message: what was said before it, and the answers to it that come first. */
async function askedByMessage(tables: Tables, task: TaskTable, message: MessageTable): Promise<Asked> {
  const { id, text, parts } = messageFrom(message);
  return {
    earlier: await saidBefore(tables, task, message.position),
    begunOn: await answersBefore(tables, task),
    trigger: { id, text, parts },
    asker: { name: message.author_name, role: await roleOf(tables, message) },
  };
}

/** A draft or a summary. Of a thread that was summed up before, its prompt says how, and the last messages do. */
async function askedByWorkspace(tables: Tables, task: TaskTable, most: number): Promise<Asked> {
  const { prompt } = JSON.parse(task.input_json) as TaskInput;
  const earlier = await saidBefore(tables, task, Number.MAX_SAFE_INTEGER, most);
  return { earlier, trigger: { id: null, text: prompt, parts: [] }, asker: null };
}

/**
 * The last messages of people and agents in the task's place before a position, oldest first.
 * @param most of a thread itself
 */
async function saidBefore(
  tables: Tables,
  task: TaskTable,
  position: number,
  most = usualMessages,
): Promise<ContextSources["earlier"]> {
  const { thread_id, fork_id } = task;
  const said = lastBefore(tables, { threadId: thread_id, forkId: fork_id }, position)
    .where("author_type", "in", ["human", "agent"])
    // An answer that is still to come is empty.
    .where((where) => where.or([where("text", "!=", ""), where("parts_json", "!=", "[]")]));
  const sizes = await said
    .clearSelect()
    .select(sql<number>`octet_length(text)`.as("bytes"))
    .limit(fork_id === null ? most : mostOfWhole)
    .execute();
  const rows = await said.limit(countWithin(mostBytes, sizes)).execute();
  return rows.toReversed().map(messageFrom);
}

/** How many of the first, one at least, have no more bytes together than there is room for. */
function countWithin(room: number, sizes: readonly { bytes: number }[]): number {
  let left = room;
  const end = sizes.findIndex(({ bytes }) => (left -= bytes) < 0);
  return end === -1 ? sizes.length : Math.max(1, end);
}

/** The answers on which it begins, oldest first: they stand behind the message that asks. */
async function answersBefore(tables: Tables, { after_task_id }: TaskTable): Promise<NonNullable<Asked["begunOn"]>> {
  const answers: MessageTable[] = [];
  let id = after_task_id;
  for (let count = 0; id !== null && count < mostBefore; count++) {
    const before = await tables
      .selectFrom("tasks")
      .select(["after_task_id", "output_message_id"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (before?.output_message_id) answers.unshift(await rowOfMessage(tables, before.output_message_id));
    id = before?.after_task_id ?? null;
  }
  return answers.map(messageFrom);
}

async function forkOf(tables: Tables, { fork_id }: TaskTable): Promise<ContextSources["fork"]> {
  if (fork_id === null) return null;
  const { message_id, description } = await tables
    .selectFrom("forks")
    .select(["message_id", "description"])
    .where("id", "=", fork_id)
    .executeTakeFirstOrThrow();
  return { origin: messageFrom(await rowOfMessage(tables, message_id)), description };
}

const rowOfMessage = (tables: Tables, id: string): Promise<MessageTable> =>
  tables.selectFrom("messages").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** Reads the role of an author. One who isn't a member, such as one who has left since, is a guest. */
async function roleOf(tables: Tables, { workspace_id, author_id }: MessageTable): Promise<string> {
  const member = await tables
    .selectFrom("members")
    .select("role")
    .where("workspace_id", "=", workspace_id)
    .where("user_id", "=", author_id)
    .executeTakeFirst();
  return member?.role ?? "guest";
}

/**
 * Searches the threads of a workspace for a run that answers in one of them. Which workspace that is, the run says, by the task
 * that it answers: nothing that a model writes leads elsewhere.
 */
import { z } from "zod";
import type { AgentAnswer, ToolCall } from "../../protocol/agents/agent-call.ts";
import { quoteLabels, speakerName } from "../../conversation/marks/speaker-labels.ts";
import { messagesWithWords } from "../database/text/message-words.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { MessageTable } from "../database/tables/tables.ts";
import { timeOf } from "../records/fields.ts";
import type { TaskInput } from "../records/task.ts";
import { asksToSearch, countWords, passageOf, queryWords } from "./query-words.ts";

const usualPassages = 10;
/** Messages that have all words, or one, of which the newest are looked at. */
const mostCandidates = 500;

const Args = z.object({ query: z.string().min(1).max(200), limit: z.int().min(1).max(20).default(usualPassages) });

/** Answers the tool `search_threads`. */
export async function answerSearch(store: WorkspaceStore, { run_id, tool, args }: ToolCall): Promise<AgentAnswer> {
  const parsed = Args.safeParse(args);
  if (tool !== "search_threads" || !parsed.success) return { ok: false, error: `${tool}: expected words in query` };
  const task = await store.database
    .selectFrom("tasks")
    .select(["workspace_id", "thread_id", "input_json"])
    .where("is_open", "=", 1)
    .where("run_id", "=", run_id)
    .executeTakeFirst();
  if (!task) return { ok: false, error: `${tool} works only in answers of a workspace's agents` };
  const { prompt } = JSON.parse(task.input_json) as TaskInput;
  if (!asksToSearch(prompt)) return { ok: false, error: `${tool}: nobody has asked to search other threads` };
  const words = queryWords(parsed.data.query);
  if (words.length === 0) return { ok: false, error: `${tool}: expected words in query` };
  const { limit } = parsed.data;
  const withAll = await candidates(store, task, words, "all");
  const rows = withAll.length < limit ? await candidates(store, task, words, "one") : [];
  const found = [...new Map([...withAll, ...rows].map((row) => [row.id, row])).values()]
    .map((row) => ({ row, count: countWords(row.text, words) }))
    .filter(({ count }) => count > 0)
    // Sorting keeps the order of those that are equal: newest first.
    .toSorted((a, b) => b.count - a.count)
    .slice(0, limit);
  return { ok: true, result: { passages: found.map(({ row }) => passageFrom(row, words)) } };
}

type Candidate = Pick<
  MessageTable,
  "id" | "thread_id" | "fork_id" | "author_type" | "author_name" | "text" | "created_at"
> & { title: string };

/** Messages of other threads that may have all of the words, or one, newest first. */
async function candidates(
  { database }: WorkspaceStore,
  { workspace_id, thread_id }: { workspace_id: string; thread_id: string },
  words: readonly string[],
  wanted: "all" | "one",
): Promise<Candidate[]> {
  const asked = { workspaceId: workspace_id, exceptThread: thread_id, words, wanted, limit: mostCandidates };
  const ids = await messagesWithWords(database, asked);
  if (ids.length === 0) return [];
  return database
    .selectFrom("messages")
    .innerJoin("threads", "threads.id", "messages.thread_id")
    .select(["messages.id", "messages.thread_id", "messages.fork_id", "messages.author_type"])
    .select(["messages.author_name", "messages.text", "messages.created_at", "threads.title"])
    .where("messages.id", "in", ids)
    .orderBy("messages.position", "desc")
    .execute();
}

function passageFrom(row: Candidate, words: readonly string[]) {
  const { id: message_id, thread_id, fork_id, author_type, author_name, title, created_at, text } = row;
  const author = speakerName(author_name) + (author_type === "agent" ? " (AI)" : "");
  return {
    thread: title,
    thread_id,
    fork_id,
    message_id,
    author,
    time: timeOf(created_at),
    text: quoteLabels(passageOf(text, words)),
  };
}

/** Threads, forks, tasks and messages by what a person types. */
import { allOf, answered, type ApiRecord } from "../../../web/client/workspace-client.ts";
import { usageError } from "../../command/command.ts";
import { isWholeId, oneOf } from "./find-record.ts";
import type { WorkspaceLink } from "./workspace-link.ts";

/** How many of the newest threads and messages are looked through for a part of an id. */
const mostThreads = 1000;
const mostMessages = 1000;
const mostForkThreads = 50;
const mostTaskThreads = 50;
const mostTasks = 1000;

export type TaskRow = ApiRecord<"TaskRow">;

export const threadsOf = ({ client }: WorkspaceLink, workspaceId: string, most: number) =>
  allOf((query) => client.GET("/api/v1/workspaces/{w}/threads", { params: { path: { w: workspaceId }, query } }), most);

export const forksOf = ({ client }: WorkspaceLink, threadId: string) =>
  allOf((query) => client.GET("/api/v1/threads/{id}/forks", { params: { path: { id: threadId }, query } }));

/** The tasks of a thread and its forks, newest first. */
export const tasksOf = ({ client }: WorkspaceLink, threadId: string, most: number): Promise<TaskRow[]> =>
  allOf((query) => client.GET("/api/v1/threads/{id}/tasks", { params: { path: { id: threadId }, query } }), most);

/** The thread of an id, a part of one, or a title. @throws CommandError, ApiError */
export async function findThread(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  given: string,
): Promise<ApiRecord<"Thread">> {
  if (isWholeId(given))
    return answered(link.client.GET("/api/v1/threads/{id}", { params: { path: { id: given.toLowerCase() } } }));
  const threads = await threadsOf(link, await workspaceId(), mostThreads);
  const titled = threads.filter(({ title }) => title.toLowerCase() === given.toLowerCase());
  const [only] = titled;
  return only && titled.length === 1 ? only : oneOf("thread", given, threads, "cortex thread list");
}

/** The fork of an id, or of a part of one in the newest threads. @throws CommandError, ApiError */
export async function findFork(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  given: string,
): Promise<ApiRecord<"Fork">> {
  if (isWholeId(given))
    return answered(link.client.GET("/api/v1/forks/{id}", { params: { path: { id: given.toLowerCase() } } }));
  const forks: ApiRecord<"Fork">[] = [];
  for (const { id } of await threadsOf(link, await workspaceId(), mostForkThreads))
    forks.push(...(await forksOf(link, id)));
  return oneOf("fork", given, forks, "cortex thread show THREAD");
}

/** The task of an id, or of a part of one in the newest threads. @throws CommandError, ApiError */
export async function findTask(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  given: string,
): Promise<TaskRow> {
  if (isWholeId(given))
    return answered(link.client.GET("/api/v1/tasks/{id}", { params: { path: { id: given.toLowerCase() } } }));
  const tasks: TaskRow[] = [];
  for (const { id } of await threadsOf(link, await workspaceId(), mostTaskThreads))
    tasks.push(...(await tasksOf(link, id, mostTasks)));
  return oneOf("task", given, tasks, "cortex thread tasks THREAD");
}

/** The newest messages of a thread or of a fork, oldest first. */
export async function messagesOf(
  { client }: WorkspaceLink,
  place: { threadId: string; forkId?: string | undefined },
  most: number,
): Promise<ApiRecord<"Message">[]> {
  const pages: ApiRecord<"Message">[][] = [];
  let [cursor, left]: [string | null, number] = [null, most];
  do {
    const query = { limit: Math.min(left, 200), ...(cursor === null ? {} : { cursor }) };
    const page: { items: ApiRecord<"Message">[]; next: string | null } = await answered(
      place.forkId === undefined
        ? client.GET("/api/v1/threads/{id}/messages", { params: { path: { id: place.threadId }, query } })
        : client.GET("/api/v1/forks/{id}/messages", { params: { path: { id: place.forkId }, query } }),
    );
    pages.unshift(page.items);
    left -= page.items.length;
    cursor = page.next;
  } while (cursor !== null && left > 0);
  return pages.flat();
}

/** A message of a thread by its id or a part of it; without one the newest. @throws CommandError, ApiError */
export async function findMessage(
  link: WorkspaceLink,
  threadId: string,
  given: string | undefined,
): Promise<{ id: string }> {
  if (given !== undefined && isWholeId(given)) return { id: given.toLowerCase() };
  const messages = await messagesOf(link, { threadId }, given === undefined ? 1 : mostMessages);
  if (given !== undefined) return oneOf("message", given, messages, "cortex thread show THREAD");
  const [newest] = messages;
  if (!newest)
    throw usageError("the thread has no message to begin at", 'say something: cortex thread post THREAD "…"');
  return newest;
}

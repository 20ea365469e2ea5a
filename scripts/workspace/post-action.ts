/** `cortex thread post`: says something in a thread, and waits for the answers where that is asked for. */
import { text as readAll } from "node:stream/consumers";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { openFeed } from "../../web/client/event-feed.ts";
import { answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { usageError } from "../command/command.ts";
import { agentsOf } from "./agents/agents-file.ts";
import { openFiles, uploadFiles } from "./file-actions.ts";
import { shortId } from "./lookup/find-record.ts";
import { findFork, findThread } from "./lookup/find-thread.ts";
import { waitForAnswers } from "./answers/wait-for-answers.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

export type PostOptions = {
  /** Title of a thread that begins with the message. */
  title: string | undefined;
  fork: string | undefined;
  attach: string[];
  isWaiting: boolean;
  json: boolean;
};

type PostPlace = { workspaceId: string; threadId: string; forkId: string | null };

export async function postAction(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  words: string[],
  options: PostOptions,
): Promise<number> {
  const { title, fork, attach, isWaiting, json } = options;
  const isNamed = title === undefined && fork === undefined;
  const [thread, rest] = isNamed ? [words[0], words.slice(1)] : [undefined, words];
  if (thread === undefined && title === undefined && fork === undefined)
    throw usageError("THREAD is missing", 'name one (cortex thread list), or begin one: --new "Title"');
  const text = await textOf(rest, attach.length > 0);
  const files = await openFiles(attach);
  const place = await placeOf(link, workspaceId, { thread, title, fork });
  const attachments = await uploadFiles(link, place.workspaceId, files);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once("SIGINT", stop);
  try {
    // Before the message is sent: nothing of its answers can be missed.
    const feed = isWaiting
      ? await openFeed({ addressOf: link.addressOf, workspaceId: place.workspaceId, signal: stopping.signal })
      : null;
    const sent = await send(link, place, { text, attachments });
    if (!json) process.stderr.write(sentText(place, sent));
    if (!feed || sent.tasks.length === 0)
      return printResult(json, { ...sent, ...(isWaiting && { answers: [] }) }, () => place.threadId);
    const agents = await agentsOf(link, place.workspaceId);
    const { tasks, messages } = await waitForAnswers(feed, sent.tasks, {
      write: (piece) => json || process.stdout.write(piece),
      notify: (line) => json || process.stderr.write(`${line}\n`),
      nameOf: (id) => agents.find((agent) => agent.id === id)?.display_name ?? "an agent",
    });
    if (json) process.stdout.write(`${JSON.stringify({ message: sent.message, tasks, answers: messages })}\n`);
    if (stopping.signal.aborted) return exitCodes.cancelled;
    return tasks.every(({ status }) => status === "completed") ? exitCodes.done : exitCodes.failed;
  } finally {
    process.off("SIGINT", stop);
    stopping.abort();
  }
}

async function textOf(words: readonly string[], hasFiles: boolean): Promise<string> {
  if (words.length > 1) throw usageError(`one text was expected, got ${words.length}`, "put it in quotes");
  const [given] = words;
  const text = given === "-" || (given === undefined && !process.stdin.isTTY) ? await readAll(process.stdin) : given;
  if ((text ?? "").trim() === "" && !hasFiles)
    throw usageError("there is nothing to say", 'for example: cortex thread post THREAD "@assistant what is open?"');
  return given === undefined || given === "-" ? (text ?? "").trimEnd() : given;
}

async function placeOf(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  { thread, title, fork }: { thread: string | undefined; title: string | undefined; fork: string | undefined },
): Promise<PostPlace> {
  const { client } = link;
  if (title !== undefined) {
    const params = { path: { w: await workspaceId() } };
    const made = await answered(client.POST("/api/v1/workspaces/{w}/threads", { params, body: { title } }));
    return { workspaceId: made.workspace_id, threadId: made.id, forkId: null };
  }
  if (fork !== undefined) {
    const { id, thread_id: threadId } = await findFork(link, workspaceId, fork);
    const { workspace_id } = await answered(client.GET("/api/v1/threads/{id}", { params: { path: { id: threadId } } }));
    return { workspaceId: workspace_id, threadId, forkId: id };
  }
  const found = await findThread(link, workspaceId, thread ?? "");
  return { workspaceId: found.workspace_id, threadId: found.id, forkId: null };
}

type Sent = { message: ApiRecord<"Message">; tasks: ApiRecord<"Task">[] };
type NewMessage = { text: string; attachments: Awaited<ReturnType<typeof uploadFiles>> };

function send(
  { client }: WorkspaceLink,
  { threadId, forkId }: PostPlace,
  { text, attachments }: NewMessage,
): Promise<Sent> {
  const body = { text, ...(attachments.length > 0 && { attachments }) };
  return answered<Sent>(
    forkId === null
      ? client.POST("/api/v1/threads/{id}/messages", { params: { path: { id: threadId } }, body })
      : client.POST("/api/v1/forks/{id}/messages", { params: { path: { id: forkId } }, body }),
  );
}

function sentText({ threadId, forkId }: PostPlace, { message, tasks }: Sent): string {
  const where = forkId === null ? `thread ${shortId(threadId)}` : `fork ${shortId(forkId)}`;
  const asked =
    tasks.length === 0
      ? "nobody was asked"
      : `${tasks.length === 1 ? "one agent was" : `${tasks.length} agents were`} asked`;
  return `message ${shortId(message.id)} in ${where}: ${asked}\n`;
}

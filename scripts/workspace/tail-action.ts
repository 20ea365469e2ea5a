/** `cortex thread tail`: what is said and done, as it happens. */
import { type FeedEvent, openFeed } from "../../web/client/event-feed.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { styled } from "../command/layout/style.ts";
import { shorten } from "../command/layout/text.ts";
import { agentsOf } from "./agents/agents-file.ts";
import { shortId } from "./lookup/find-record.ts";
import { findThread, messagesOf } from "./lookup/find-thread.ts";
import { GrowingAnswers } from "./answers/growing-answers.ts";
import { forkText, messageText } from "./show-actions.ts";
import type { WorkspaceLink } from "./lookup/workspace-link.ts";

export type TailOptions = { count: number; from: number | undefined; json: boolean };

/** Follows until it is stopped. @param given a thread; absent: all of the workspace */
export async function tailAction(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  given: string | undefined,
  { count, from, json }: TailOptions,
): Promise<number> {
  const thread = given === undefined ? null : await findThread(link, workspaceId, given);
  const id = thread?.workspace_id ?? (await workspaceId());
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  process.stdout.once("error", stop);
  const feed = await openFeed({
    addressOf: link.addressOf,
    workspaceId: id,
    ...(from !== undefined && { from }),
    onBreak: (tries) => tries === 1 && process.stderr.write("the connection broke: trying again\n"),
    signal: stopping.signal,
  });
  const show = json ? shownAsJson : await shownAsText(link, id);
  // What was said before stands above; what came since the feed was opened comes by the feed.
  if (!json && thread && from === undefined)
    for (const message of await messagesOf(link, { threadId: thread.id }, count))
      show({ event: "message.created", data: { message } });
  for await (const event of feed) if (!thread || (threadOf(event) ?? thread.id) === thread.id) show(event);
  return exitCodes.done;
}

function shownAsJson({ id, event, data }: FeedEvent): void {
  process.stdout.write(`${JSON.stringify({ id: id ?? null, event, data })}\n`);
}

/** The thread that an event is of; undefined for those of the whole workspace. */
function threadOf({ data }: FeedEvent): string | undefined {
  if ("thread_id" in data) return data.thread_id;
  if ("message" in data) return data.message.thread_id;
  if ("task" in data) return data.task.thread_id;
  if ("fork" in data) return data.fork.thread_id;
  if ("approval" in data) return data.approval.thread_id;
  return "thread" in data ? data.thread.id : undefined;
}

/** Shows messages and answers as they grow. Of several that grow at once each line says whose it is. */
async function shownAsText(link: WorkspaceLink, workspaceId: string): Promise<(event: FeedEvent) => void> {
  const agents = await agentsOf(link, workspaceId);
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.display_name ?? "an agent";
  const growing = new GrowingAnswers();
  const shown = new Set<string>();
  let open: string | null = null;
  const close = () => {
    if (open !== null) process.stdout.write("\n\n");
    open = null;
  };
  const line = (text: string) => {
    close();
    process.stdout.write(`${styled("dim", text)}\n`);
  };
  return (event) => {
    const piece = growing.pieceOf(event);
    if (piece) {
      const { messageId: id } = piece;
      if (open !== id) {
        if (piece.text === "" && shown.has(id)) return;
        close();
        const isNew = event.event === "message.created" && !shown.has(id);
        process.stdout.write(
          isNew && piece.isWhole ? messageText(event.data.message) : `${styled("dim", piece.author)}\n${piece.text}`,
        );
        shown.add(id);
        open = id;
      } else process.stdout.write(piece.text);
      if (piece.isWhole) close();
      return;
    }
    const text = lineOf(event, nameOf);
    if (text !== null) line(text);
  };
}

/** A line about what isn't a message; null for what needs none. */
function lineOf(event: FeedEvent, nameOf: (id: string) => string): string | null {
  switch (event.event) {
    case "task.status_changed": {
      const { agent_id: agent, status, error } = event.data.task;
      if (status === "running") return `${nameOf(agent)} is thinking …`;
      if (status === "failed") return `${nameOf(agent)} has not answered: ${shorten(error ?? "", 500)}`;
      return status === "cancelled" ? `the answer of ${nameOf(agent)} was cancelled` : null;
    }
    case "presence.thinking": {
      const { agent_id: agent, waits_until: until } = event.data;
      return until === undefined ? null : `${nameOf(agent)} waits for its provider until ${until}`;
    }
    case "fork.created":
    case "fork.status_changed":
      return forkText(event.data.fork);
    case "fork.draft":
      return `draft of fork ${shortId(event.data.fork.id)}:\n${event.data.fork.draft ?? ""}`;
    case "events.dropped":
      return `events up to ${event.data.up_to} are no longer kept: what was said stands in cortex thread show`;
    case "approval.requested":
      return `${nameOf(event.data.approval.agent_id)} asks for ${event.data.approval.tool}: ${shorten(event.data.approval.why, 300)}`;
    case "approval.decided":
      return `${event.data.approval.tool} was ${event.data.approval.status}`;
    default:
      return null;
  }
}

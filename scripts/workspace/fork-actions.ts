/** `cortex thread fork|resolve|reopen|abandon`: a side question, and the way back of its conclusion. */
import { text as readAll } from "node:stream/consumers";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { openFeed } from "../../web/client/event-feed.ts";
import { answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { CommandError, usageError } from "../command/command.ts";
import { asTyped } from "../command/typed-command.ts";
import { findFork, findMessage, findThread } from "./lookup/find-thread.ts";
import { shortId } from "./lookup/find-record.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

type Fork = ApiRecord<"Fork">;
type WorkspaceOf = () => Promise<string>;

export async function forkAction(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  [given, description]: string[],
  { at, json }: { at: string | undefined; json: boolean },
): Promise<number> {
  if (given === undefined || description === undefined)
    throw usageError("THREAD or DESCRIPTION is missing", 'for example: cortex thread fork THREAD "Which database?"');
  const thread = await findThread(link, workspaceId, given);
  const { id } = await findMessage(link, thread.id, at);
  const params = { path: { id: thread.id } };
  const body = { message_id: id, description };
  const fork = await answered(link.client.POST("/api/v1/threads/{id}/forks", { params, body }));
  return printResult(json, fork, () =>
    asTyped(`fork ${shortId(fork.id)} of "${thread.title}" begins at message ${shortId(id)}

  cortex thread post --fork ${shortId(fork.id)} "…"
  cortex thread resolve ${shortId(fork.id)}`),
  );
}

export type ResolveOptions = {
  /** The conclusion itself, `-` for standard input. */
  text: string | undefined;
  /** Post the draft as it is. */
  isPosted: boolean;
  /** The agent that drafts it; absent: as the workspace's settings say. */
  by: string | undefined;
  json: boolean;
};

/** Drafts the conclusion and shows it, or posts it. */
export async function resolveAction(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  given: string | undefined,
  { text, isPosted, by, json }: ResolveOptions,
): Promise<number> {
  if (given === undefined) throw usageError("FORK is missing", "ids: cortex thread show THREAD");
  const found = await findFork(link, workspaceId, given);
  const own = text === "-" ? (await readAll(process.stdin)).trim() : text;
  if (own === "") throw usageError("the conclusion is empty", 'for example: --text "We take PostgreSQL."');
  const fork = own === undefined && (found.draft === null || by !== undefined) ? await drafted(link, found, by) : found;
  const conclusion = own ?? fork.draft ?? "";
  if (own === undefined && !isPosted) {
    return printResult(json, fork, () =>
      asTyped(`${conclusion}

post it: cortex thread resolve ${shortId(fork.id)} --post
or your own words: cortex thread resolve ${shortId(fork.id)} --text "…"
or draft it again: cortex thread reopen ${shortId(fork.id)}, then resolve`),
    );
  }
  const params = { path: { id: fork.id } };
  const posted = await answered(
    link.client.POST("/api/v1/forks/{id}/resolution", { params, body: { text: conclusion } }),
  );
  return printResult(json, posted, () => `resolved, in the thread now:\n${posted.message.text}`);
}

/**
 * Asks for a draft, where nobody has, and waits for it.
 * @param by the agent that drafts: what another one has drafted isn't its draft
 * @throws CommandError when it failed
 */
async function drafted(link: WorkspaceLink, { id, thread_id: threadId }: Fork, by: string | undefined): Promise<Fork> {
  const { client } = link;
  const params = { path: { id } };
  const { workspace_id: workspaceId } = await answered(
    client.GET("/api/v1/threads/{id}", { params: { path: { id: threadId } } }),
  );
  const stopping = new AbortController();
  try {
    const feed = await openFeed({ addressOf: link.addressOf, workspaceId, signal: stopping.signal });
    const now = await answered(client.GET("/api/v1/forks/{id}", { params }));
    if (by === undefined && now.draft !== null) return now;
    const body = { ...(by !== undefined && { resolver: by.replace(/^@/, "") }) };
    if (by !== undefined || now.status !== "resolving")
      await answered(client.POST("/api/v1/forks/{id}/resolve", { params, body }));
    let why = "the connection ended";
    for await (const event of feed) {
      if (event.event === "task.status_changed" && event.data.task.fork_id === id) why = event.data.task.error ?? why;
      if (!("fork" in event.data) || event.data.fork.id !== id) continue;
      const { fork } = event.data;
      if (fork.draft !== null) return fork;
      if (fork.status !== "resolving") break;
    }
    const hint = 'the fork goes on; try again, or write it yourself: cortex thread resolve FORK --text "…"';
    throw new CommandError("draft_failed", `no draft was made: ${why}`, hint, exitCodes.failed);
  } finally {
    stopping.abort();
  }
}

/** `reopen` and `abandon`. */
export async function endAction(
  link: WorkspaceLink,
  workspaceId: WorkspaceOf,
  action: "reopen" | "abandon",
  given: string | undefined,
  json: boolean,
): Promise<number> {
  if (given === undefined) throw usageError("FORK is missing", "ids: cortex thread show THREAD");
  const { id } = await findFork(link, workspaceId, given);
  const params = { path: { id } };
  const fork = await answered(link.client.POST(`/api/v1/forks/{id}/${action}`, { params }));
  return printResult(json, fork, () => `fork ${shortId(fork.id)} is ${fork.status}`);
}

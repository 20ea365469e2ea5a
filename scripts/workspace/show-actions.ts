/** `cortex thread list|show|rename|brief`: the threads of a workspace, what was said in one, and what one is set to. */
import { answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { columns } from "../command/layout/columns.ts";
import { styled } from "../command/layout/style.ts";
import { unknownName, usageError } from "../command/command.ts";
import { asTyped } from "../command/typed-command.ts";
import { duration, shorten } from "../command/layout/text.ts";
import { shortId } from "./lookup/find-record.ts";
import { findFork, findThread, forksOf, messagesOf, threadsOf } from "./lookup/find-thread.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

export async function listThreads(
  link: WorkspaceLink,
  workspaceId: string,
  { count, json }: { count: number; json: boolean },
): Promise<number> {
  const threads = await threadsOf(link, workspaceId, count);
  return printResult(json, { threads }, () => {
    if (threads.length === 0) return asTyped('no threads yet: cortex thread post --new "Title" "Hello"');
    const rows = threads.map(({ id, title, updated_at: updated }) => [
      shortId(id),
      agoOf(updated),
      shorten(title, 200),
    ]);
    return columns([["ID", "UPDATED", "TITLE"], ...rows]);
  });
}

export async function showThread(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  given: string | undefined,
  { fork, count, json }: { fork: string | undefined; count: number; json: boolean },
): Promise<number> {
  if (fork !== undefined) {
    const found = await findFork(link, workspaceId, fork);
    const messages = await messagesOf(link, { threadId: found.thread_id, forkId: found.id }, count);
    return printResult(json, { fork: found, messages }, () =>
      [forkText(found), ...messages.map(messageText)].join("\n\n"),
    );
  }
  const thread = await findThread(link, workspaceId, given ?? "");
  const messages = await messagesOf(link, { threadId: thread.id }, count);
  const forks = await forksOf(link, thread.id);
  const summary = await summaryOf(link, thread, messages);
  return printResult(json, { thread, summary, messages, forks }, () => {
    // Its place among the others says when the first one was made: it is read at the top alone.
    const said = messages.filter(({ id }) => id !== summary?.id);
    return [
      styled("bold", thread.title),
      ...(summary ? [messageText(summary)] : []),
      ...(forks.length === 0 ? [] : [forks.map(forkText).join("\n")]),
      ...(messages.length === 0 ? ["nothing was said yet"] : said.map(messageText)),
    ].join("\n\n");
  });
}

/** Gives a thread another title. */
export async function renameThread(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  [given, title]: string[],
  json: boolean,
): Promise<number> {
  if (given === undefined || title === undefined)
    throw usageError("THREAD or TITLE is missing", 'for example: cortex thread rename THREAD "The greenhouse"');
  const { id, title: before } = await findThread(link, workspaceId, given);
  const thread = await updated(link, id, { title });
  return printResult(json, thread, () => `"${before}" is "${thread.title}" now`);
}

const turns = ["on", "off"] as const;

/** Has agents asked to be brief in a thread, or no longer; without a word for it shows whether they are. */
export async function setBrief(
  link: WorkspaceLink,
  workspaceId: () => Promise<string>,
  [given, turn]: string[],
  json: boolean,
): Promise<number> {
  if (given === undefined) throw usageError("THREAD is missing", "ids: cortex thread list");
  const known = turns.find((one) => one === turn);
  if (turn !== undefined && !known) throw unknownName("value", turn, turns, `cortex thread brief "${given}"`);
  const found = await findThread(link, workspaceId, given);
  const thread = known ? await updated(link, found.id, { is_brief: known === "on" }) : found;
  return printResult(json, thread, () =>
    thread.is_brief
      ? `agents are asked to be brief in "${thread.title}"`
      : `agents answer as they are in "${thread.title}"`,
  );
}

const updated = ({ client }: WorkspaceLink, id: string, body: { title?: string; is_brief?: boolean }) =>
  answered(client.PATCH("/api/v1/threads/{id}", { params: { path: { id } }, body }));

/** The message that sums up a thread, or null. */
async function summaryOf(
  { client }: WorkspaceLink,
  { summary_id: id }: ApiRecord<"Thread">,
  messages: readonly ApiRecord<"Message">[],
): Promise<ApiRecord<"Message"> | null> {
  if (id === null) return null;
  const shown = messages.find((message) => message.id === id);
  return shown ?? answered(client.GET("/api/v1/messages/{id}", { params: { path: { id } } }));
}

/** A message as it stands in a thread. */
export function messageText({
  id,
  author_name: author,
  author_type: type,
  text,
  parts,
  metadata,
  created_at: created,
  edited_at: edited,
}: ApiRecord<"Message">): string {
  const kind = metadata.kind === undefined ? "" : ` · ${metadata.kind}`;
  const at = edited ?? created;
  const head = `${author}${type === "agent" ? " (AI)" : ""}${kind} · ${at.slice(0, 16).replace("T", " ")} · ${shortId(id)}`;
  const files = parts.map(({ name, mime, size }) => `[${name}, ${mime}, ${size} bytes]`);
  return [styled("dim", head), ...(text === "" ? [] : [text]), ...files].join("\n");
}

export function forkText({ id, status, description, draft }: ApiRecord<"Fork">): string {
  const drafted = status === "open" && draft !== null ? ", with a draft" : "";
  return styled("dim", `fork ${shortId(id)} · ${status}${drafted} · ${shorten(description, 200)}`);
}

const agoOf = (time: string) => `${duration(Math.max(0, Date.now() - Date.parse(time)))} ago`;

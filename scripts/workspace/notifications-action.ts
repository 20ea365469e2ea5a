/** `cortex workspace notifications`: the messages that a member wants to be told of and hasn't read, and up to where they have. */
import { allOf, answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { columns } from "../command/layout/columns.ts";
import { duration, shorten } from "../command/layout/text.ts";
import { unknownName, usageError } from "../command/command.ts";
import { asTyped } from "../command/typed-command.ts";
import { isWholeId, oneOf, shortId } from "./lookup/find-record.ts";
import { threadsOf } from "./lookup/find-thread.ts";
import { membersOf, oneself } from "./members-actions.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

type Notification = ApiRecord<"Notification">;

const actions = ["list", "read"] as const;

/** How many of the newest are looked through for a part of an id, and of the threads for a title. */
const mostUnread = 1000;
const mostThreads = 200;

const reasons: Record<Notification["reason"], string> = {
  mention: "names you",
  answer: "answers you",
  message: "is said",
};

export async function notificationsAction(
  link: WorkspaceLink,
  workspaceId: string,
  [action = "list", given]: string[],
  { isAll, count, json }: { isAll: boolean; count: number; json: boolean },
): Promise<number> {
  const known = actions.find((one) => one === action);
  if (!known) throw unknownName("action", action, actions, "cortex workspace notifications");
  const seeHelp = "see: cortex workspace --help";
  if (known === "list") {
    if (given !== undefined) throw usageError(`unexpected "${given}"`, seeHelp);
    return listUnread(link, workspaceId, count, json);
  }
  if (given === undefined && !isAll)
    throw usageError("MESSAGE or --all is missing", "ids: cortex workspace notifications");
  if (given !== undefined && isAll) throw usageError(`--all and "${given}": only one of them can be`, seeHelp);
  const id = given === undefined ? null : await messageId(link, workspaceId, given);
  const params = { path: { w: workspaceId } };
  const body = id === null ? {} : { message_id: id };
  await answered(link.client.POST("/api/v1/workspaces/{w}/notifications/read", { params, body }));
  return printResult(json, { ok: true, read_up_to: id }, () =>
    id === null ? "all is read" : `all up to message ${shortId(id)} is read`,
  );
}

const unreadOf = ({ client }: WorkspaceLink, workspaceId: string, most: number): Promise<Notification[]> =>
  allOf(
    (query) => client.GET("/api/v1/workspaces/{w}/notifications", { params: { path: { w: workspaceId }, query } }),
    most,
  );

async function messageId(link: WorkspaceLink, workspaceId: string, given: string): Promise<string> {
  if (isWholeId(given)) return given.toLowerCase();
  const messages = (await unreadOf(link, workspaceId, mostUnread)).map(({ message }) => message);
  return oneOf("unread message", given, messages, "cortex workspace notifications").id;
}

async function listUnread(link: WorkspaceLink, workspaceId: string, count: number, json: boolean): Promise<number> {
  const notifications = await unreadOf(link, workspaceId, count);
  if (json) return printResult(json, { notifications }, () => "");
  if (notifications.length === 0) {
    const { name, notifications: level } = await oneself(link, await membersOf(link, workspaceId));
    const remedy = `you are told of nothing here: cortex workspace members notify "${name}" mentions`;
    return printResult(json, {}, () => (level === "none" ? asTyped(remedy) : "nothing is unread"));
  }
  const threads = await threadsOf(link, workspaceId, mostThreads);
  const titleOf = (id: string) => threads.find((thread) => thread.id === id)?.title ?? shortId(id);
  const rows = notifications.map(({ reason, message }) => [
    shortId(message.id),
    `${duration(Math.max(0, Date.now() - Date.parse(message.created_at)))} ago`,
    message.author_name,
    reasons[reason],
    message.fork_id === null
      ? titleOf(message.thread_id)
      : `${titleOf(message.thread_id)}, fork ${shortId(message.fork_id)}`,
    shorten(message.text, 200),
  ]);
  return printResult(json, {}, () => columns([["ID", "SAID", "BY", "WHY", "IN", "TEXT"], ...rows]));
}

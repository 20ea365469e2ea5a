/** Operations on what a member is told of. */
import { listNotifications, markRead } from "../../../../workspace/notifications/notifications.ts";
import { Notification, ReadUpTo } from "../../../../workspace/records/notification.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

export const notifications = [
  operation({
    id: "notification.list",
    method: "GET",
    path: "/workspaces/{w}/notifications",
    summary: "The messages that the member wants to be told of and hasn't read, newest first",
    description: "As the member's `notifications` say: all of others, those that name or answer the member, or none.",
    subject: "workspaces",
    role: "member",
    query: pageQuery,
    answer: listOf(Notification),
    handle: ({ store, actor }, { query }) => listNotifications(store, actor, query),
  }),
  operation({
    id: "notification.read",
    method: "POST",
    path: "/workspaces/{w}/notifications/read",
    summary: "Note up to where the member has read",
    subject: "workspaces",
    role: "member",
    body: ReadUpTo,
    status: 204,
    refusals: [404],
    handle: ({ store, actor }, { body }) => markRead(store, body, actor),
  }),
];

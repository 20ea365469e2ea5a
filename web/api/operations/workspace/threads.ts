/** Operations on threads, and on messages of threads and forks. */
import { z } from "zod";
import { AttachmentRefs, type FilePart } from "../../../../protocol/files/attachment.ts";
import { Task } from "../../../../workspace/records/task.ts";
import { Id } from "../../../../workspace/records/fields.ts";
import { Message, Thread, ThreadUpdate } from "../../../../workspace/records/thread.ts";
import { ThreadRow } from "../../../../workspace/records/thread-row.ts";
import { listThreadRows } from "../../../../workspace/overview/thread-rows.ts";
import { attachmentNames } from "../../../../workspace/threads/attachments.ts";
import { listMessages, readMessage, sendMessage } from "../../../../workspace/threads/messages.ts";
import { type ThreadPlace, placeOfFork } from "../../../../workspace/threads/places.ts";
import { createThread, listThreads, readThread, updateThread } from "../../../../workspace/threads/threads.ts";
import type { WorkspaceStore } from "../../../../workspace/database/changes/store.ts";
import type { Actor } from "../../../../workspace/people/access.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

/** In UTF-16 units, of which a megabyte of text has at most so many. */
const maxTextLength = 1024 * 1024;
/** Room for such a text in which each character is escaped. Larger files are stored first. */
const maxBodyBytes = 8 * 1024 * 1024;

const NewThread = Thread.pick({ title: true });

const NewMessage = z
  .object({
    text: z.string().max(maxTextLength),
    parent: Id.nullish().meta({ description: "The message of the same place that it answers." }),
    attachments: AttachmentRefs.optional(),
  })
  .refine(({ text, attachments = [] }) => text !== "" || attachments.length > 0, "expected a text, or attachments");

const Sent = z.object({
  message: Message,
  tasks: z.array(Task).meta({ description: "An answer of each agent that is mentioned." }),
});

const messagesOf = (
  subject: "threads" | "forks",
  placeOf: (store: WorkspaceStore, id: string, actor: Actor) => Promise<ThreadPlace>,
) => [
  operation({
    id: subject === "threads" ? "message.list" : "message.list_in_fork",
    method: "GET",
    path: `/${subject}/{id}/messages`,
    summary: `The last messages of a ${subject.slice(0, -1)}, oldest first; the cursor leads to older ones`,
    subject,
    role: "member",
    query: pageQuery,
    answer: listOf(Message),
    refusals: [400],
    handle: async ({ store, actor }, { id, query }) => listMessages(store, await placeOf(store, id, actor), query),
  }),
  operation({
    id: subject === "threads" ? "message.send" : "message.send_in_fork",
    method: "POST",
    path: `/${subject}/{id}/messages`,
    summary: `Say something in a ${subject.slice(0, -1)}`,
    description: "The tasks of the agents that it mentions are queued; their answers come as events.",
    subject,
    role: "member",
    body: NewMessage,
    maxBodyBytes,
    status: 201,
    answer: Sent,
    prepare: async ({ store, asker, actor, files }, { body: { attachments = [] } }): Promise<FilePart[]> => {
      const ids = attachments.flatMap(({ id }) => id ?? []);
      return files.takeFiles(attachments, asker, await attachmentNames(store.database, actor.workspaceId, ids));
    },
    handle: async ({ store, actor, prepared }, { id, body: { text, parent } }) =>
      sendMessage(
        store,
        await placeOf(store, id, actor),
        { text, parent: parent ?? undefined, parts: prepared },
        actor,
      ),
  }),
];

export const threads = [
  operation({
    id: "thread.list",
    method: "GET",
    path: "/workspaces/{w}/threads",
    summary: "The threads of a workspace, newest first",
    subject: "workspaces",
    role: "member",
    query: pageQuery,
    answer: listOf(Thread),
    handle: ({ store, actor }, { query }) => listThreads(store, actor, query),
  }),
  operation({
    id: "thread.rows",
    method: "GET",
    path: "/workspaces/{w}/thread-rows",
    summary: "The threads of a workspace, newest first, each with its last message and the forks that haven't ended",
    subject: "workspaces",
    role: "member",
    query: pageQuery,
    answer: listOf(ThreadRow),
    handle: ({ store, actor }, { query }) => listThreadRows(store, actor, query),
  }),
  operation({
    id: "thread.create",
    method: "POST",
    path: "/workspaces/{w}/threads",
    summary: "Begin a thread",
    subject: "workspaces",
    role: "member",
    body: NewThread,
    status: 201,
    answer: Thread,
    handle: ({ store, actor }, { body }) => createThread(store, body.title, actor),
  }),
  operation({
    id: "thread.get",
    method: "GET",
    path: "/threads/{id}",
    summary: "A thread",
    subject: "threads",
    role: "member",
    answer: Thread,
    handle: ({ store, actor }, { id }) => readThread(store, id, actor),
  }),
  operation({
    id: "thread.update",
    method: "PATCH",
    path: "/threads/{id}",
    summary: "Edit a thread",
    subject: "threads",
    role: "member",
    body: ThreadUpdate,
    answer: Thread,
    handle: ({ store, actor }, { id, body }) => updateThread(store, id, body, actor),
  }),
  ...messagesOf("threads", async (_store, threadId) => ({ threadId, forkId: null })),
  ...messagesOf("forks", placeOfFork),
  operation({
    id: "message.get",
    method: "GET",
    path: "/messages/{id}",
    summary: "A message of a thread or a fork",
    description: "Such as the one that sums up a thread, which may stand far above its last ones.",
    subject: "messages",
    role: "member",
    answer: Message,
    handle: ({ store, actor }, { id }) => readMessage(store, id, actor),
  }),
];

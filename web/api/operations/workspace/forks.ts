/** Operations on forks. */
import { z } from "zod";
import { Id } from "../../../../workspace/records/fields.ts";
import { Task } from "../../../../workspace/records/task.ts";
import { Fork, Message } from "../../../../workspace/records/thread.ts";
import { abandonFork, postResolution, reopenFork } from "../../../../workspace/forks/end-fork.ts";
import { requestResolution } from "../../../../workspace/forks/resolve-fork.ts";
import { createFork, listForks, readFork } from "../../../../workspace/threads/forks.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

/** More than blanks. */
const something = /\S/;

const NewFork = z.object({
  message_id: Id.meta({ description: "The message of the thread at which it begins." }),
  description: Fork.shape.description.regex(something),
});
const Resolve = z
  .object({
    resolver: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: "The slug of the agent that drafts. Default: as the workspace's settings say." }),
  })
  .optional();
const Resolution = z.object({ text: z.string().min(1).max(100_000).regex(something) });
const Resolved = z.object({ message: Message, fork: Fork });
const Drafting = z.object({ task: Task });

const post = { subject: "forks", role: "member", method: "POST" } as const;

export const forks = [
  operation({
    id: "fork.create",
    method: "POST",
    path: "/threads/{id}/forks",
    summary: "Begin a fork at a message",
    subject: "threads",
    role: "member",
    body: NewFork,
    status: 201,
    answer: Fork,
    handle: ({ store, actor }, { id, body: { message_id, description } }) =>
      createFork(store, id, { messageId: message_id, description }, actor),
  }),
  operation({
    id: "fork.list",
    method: "GET",
    path: "/threads/{id}/forks",
    summary: "The forks of a thread, newest first",
    subject: "threads",
    role: "member",
    query: pageQuery,
    answer: listOf(Fork),
    handle: ({ store, actor }, { id, query }) => listForks(store, id, actor, query),
  }),
  operation({
    id: "fork.get",
    method: "GET",
    path: "/forks/{id}",
    summary: "A fork, with the draft of its resolution",
    subject: "forks",
    role: "member",
    answer: Fork,
    handle: ({ store, actor }, { id }) => readFork(store, id, actor),
  }),
  operation({
    ...post,
    id: "fork.resolve",
    path: "/forks/{id}/resolve",
    summary: "Have the conclusion drafted",
    description: "The draft comes as the event `fork.draft`, and stands in the fork, to be edited and posted.",
    body: Resolve,
    status: 202,
    answer: Drafting,
    handle: async ({ store, actor }, { id, body }) => ({
      task: await requestResolution(store, id, actor, body?.resolver),
    }),
  }),
  operation({
    ...post,
    id: "fork.post_resolution",
    path: "/forks/{id}/resolution",
    summary: "Post the conclusion to the thread, which resolves the fork",
    body: Resolution,
    maxBodyBytes: 1024 * 1024,
    status: 201,
    answer: Resolved,
    handle: ({ store, actor }, { id, body }) => postResolution(store, id, body.text, actor),
  }),
  operation({
    ...post,
    id: "fork.reopen",
    path: "/forks/{id}/reopen",
    summary: "Go on in a fork that has ended; its resolution stays",
    answer: Fork,
    handle: ({ store, actor }, { id }) => reopenFork(store, id, actor),
  }),
  operation({
    ...post,
    id: "fork.abandon",
    path: "/forks/{id}/abandon",
    summary: "End a fork without a conclusion",
    answer: Fork,
    handle: ({ store, actor }, { id }) => abandonFork(store, id, actor),
  }),
];

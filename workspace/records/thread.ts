/** Records of threads, messages and forks. */
import { z } from "zod";
import { FilePart } from "../../protocol/files/attachment.ts";
import { Id, Time } from "./fields.ts";

export const Thread = z
  .object({
    id: Id,
    workspace_id: Id,
    title: z.string().min(1).max(200),
    is_brief: z.boolean().meta({ description: "Agents are asked to be brief." }),
    summary_id: Id.nullable().meta({ description: "The message that sums it up, shown at its top." }),
    created_by: Id,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: "Thread" });
export type Thread = z.infer<typeof Thread>;

export const ThreadUpdate = Thread.pick({ title: true, is_brief: true }).partial();
export type ThreadUpdate = z.infer<typeof ThreadUpdate>;

export const MessageMetadata = z.looseObject({
  agentConfigId: Id.optional().meta({ description: "The agent whose answer it is." }),
  taskId: Id.optional(),
  kind: z
    .enum(["resolution", "error", "summary", "limit", "suggestion"])
    .optional()
    .meta({ description: "The kind of a message that isn't an ordinary one." }),
  mentions: z.array(Id).optional().meta({ description: "The users whom it is for: it names them, or answers them." }),
  bindingId: Id.optional().meta({ description: "The binding of the room that it came from." }),
  guest: z.string().optional().meta({ description: "The sender there, where that isn't a member: `<type>:<userId>`." }),
  isCutOff: z.boolean().optional().meta({ description: "The answer reached its limit of tokens: there may be more." }),
  isIncomplete: z.boolean().optional().meta({ description: "The answer broke off." }),
  forkId: Id.optional().meta({ description: "The fork that a resolution is of." }),
  forkDescription: z.string().optional().meta({ description: "The subject that a suggested fork could have." }),
  isReopened: z.boolean().optional().meta({ description: "Whether a resolution's fork was opened again since." }),
});
export type MessageMetadata = z.infer<typeof MessageMetadata>;

export const Message = z
  .object({
    id: Id,
    thread_id: Id,
    fork_id: Id.nullable(),
    parent_id: Id.nullable().meta({ description: "The message that it answers." }),
    author_type: z.enum(["human", "agent", "system"]),
    author_id: Id.nullable(),
    author_name: z.string(),
    text: z.string(),
    parts: z.array(FilePart),
    metadata: MessageMetadata,
    created_at: Time,
    edited_at: Time.nullable().meta({ description: "When its text was written anew; null: it is as it was said." }),
  })
  .meta({ id: "Message" });
export type Message = z.infer<typeof Message>;

export const Fork = z
  .object({
    id: Id,
    thread_id: Id,
    message_id: Id.meta({ description: "The message at which it began." }),
    description: z.string().min(1).max(2000),
    status: z.enum(["open", "resolving", "resolved", "abandoned"]),
    draft: z.string().nullable().meta({ description: "The summary that was drafted, to be edited and posted." }),
    resolution_id: Id.nullable().meta({ description: "The message that was posted to the thread." }),
    created_by: Id,
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: "Fork" });
export type Fork = z.infer<typeof Fork>;

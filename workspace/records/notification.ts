/** Records of notifications: messages that a member wants to be told of, and hasn't read. */
import { z } from "zod";
import { Id } from "./fields.ts";
import { Message } from "./thread.ts";

/** Why a message is for a member beside being in the workspace. */
export const AddressedReason = z.enum(["mention", "answer"]);

export const Notification = z
  .object({
    message: Message,
    reason: z.enum([...AddressedReason.options, "message"]).meta({
      description: "It names the member, answers something of theirs, or is just said where they want to hear all.",
    }),
  })
  .meta({ id: "Notification" });
export type Notification = z.infer<typeof Notification>;

export const ReadUpTo = z
  .object({
    message_id: Id.optional().meta({ description: "All up to this message. Absent: all that there are." }),
  })
  .meta({ id: "ReadUpTo" });
export type ReadUpTo = z.infer<typeof ReadUpTo>;

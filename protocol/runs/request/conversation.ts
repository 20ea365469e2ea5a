/** The conversation before a request's prompt, where no run has it. */
import { z } from "zod";
import { AttachmentRefs } from "../../files/attachment.ts";

/** Their size is bounded by what the bus takes in one message. */
const mostMessages = 2000;

/** Files of all of them together. */
const mostFiles = 256;

/** A message of a conversation that no run has. What isn't known is refused: nothing of it would reach a model. */
const ConversationMessage = z.strictObject({
  role: z.enum(["user", "assistant"]).meta({ description: "The speaker: `assistant` is the agent itself." }),
  text: z.string().meta({ description: "The text of the message. One without text and files is left out." }),
  attachments: AttachmentRefs.optional(),
});
export type ConversationMessage = z.infer<typeof ConversationMessage>;

export const Conversation = z
  .array(ConversationMessage)
  .max(mostMessages)
  .refine((messages) => messages.flatMap(({ attachments = [] }) => attachments).length <= mostFiles, {
    message: `expected at most ${mostFiles} files in all of its messages`,
  })
  .meta({
    description:
      "The messages before the prompt, oldest first, where no run has them: the history of this run. Neighbours may have one role. Not together with `continue_from`, and not handed on.",
    examples: [
      [
        { role: "user", text: "My name is Ada." },
        { role: "assistant", text: "Hello, Ada." },
      ],
    ],
  });

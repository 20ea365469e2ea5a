/** Records of a thread as a list shows it, and of its tasks without what their agents were asked. */
import { z } from "zod";
import { Time } from "./fields.ts";
import { Task } from "./task.ts";
import { Fork, Message, Thread } from "./thread.ts";

export const ThreadRow = z
  .object({
    thread: Thread,
    last: Message.pick({ id: true, author_type: true, author_name: true, metadata: true })
      .extend({ text: z.string().meta({ description: "Its beginning." }), created_at: Time })
      .nullable()
      .meta({ description: "The last message of the thread itself; null: there is none." }),
    forks: z
      .array(
        Fork.pick({ id: true, message_id: true, description: true, status: true }).extend({
          messages: z.int().nonnegative().meta({ description: "How many it has." }),
        }),
      )
      .meta({ description: "The forks that haven't ended, oldest first." }),
  })
  .meta({ id: "ThreadRow" });
export type ThreadRow = z.infer<typeof ThreadRow>;

export const TaskRow = Task.omit({ input: true }).meta({
  id: "TaskRow",
  description: "A task without what its agent was asked.",
});
export type TaskRow = z.infer<typeof TaskRow>;

/** The live news of a workspace, which isn't stored: pieces of an answer as they come, and who is thinking. */
import { z } from "zod";
import { Id, Time } from "./fields.ts";

const place = { thread_id: Id, fork_id: Id.nullable() };

export const livePieces = {
  "message.delta": z.object({
    message_id: Id.meta({ description: "The message that grows by the text." }),
    task_id: Id,
    ...place,
    text: z.string(),
  }),
  "presence.thinking": z.object({
    task_id: Id,
    agent_id: Id,
    ...place,
    is_thinking: z.boolean(),
    waits_until: Time.optional().meta({ description: "It waits so long for its provider's rate limit." }),
  }),
} as const;

export type LivePieces = { [Name in keyof typeof livePieces]: z.infer<(typeof livePieces)[Name]> };

export type LivePiece = { [Name in keyof LivePieces]: { event: Name; data: LivePieces[Name] } }[keyof LivePieces];

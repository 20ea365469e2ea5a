/** The thread of a room, as calls of the Bot API name it. Pure. */
import type { Channel } from "../../../protocol/agents/channel.ts";

export const threadOf = ({ replyTo }: Channel): { message_thread_id?: number } =>
  replyTo !== undefined && /^\d{1,15}$/.test(replyTo) ? { message_thread_id: Number(replyTo) } : {};

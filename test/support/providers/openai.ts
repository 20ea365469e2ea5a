/** Plays OpenAI: the Responses API, and the servers that speak Chat Completions. */
import { type EventServer, startEventServer } from "./event-server.ts";
import { chatRules, type Dialect } from "./openai-chat.ts";
import { responsesRules } from "./openai-responses.ts";
import type { Play, Reply } from "./played.ts";

export const playOpenai = ((replies) => startEventServer(replies, responsesRules())) satisfies Play;

export const playChat = ((replies) => startEventServer(replies, chatRules({}))) satisfies Play;

/** A server of Chat Completions that differs from the usual ones. */
export function playDialect(dialect: Dialect): (replies: Reply[]) => Promise<EventServer> {
  return (replies) => startEventServer(replies, chatRules(dialect));
}

/**
 * Continues a conversation: in the session of Claude Code that the last run left, or from the neutral history, given as a
 * record.
 */
import { z } from "zod";
import type { Message } from "../../protocol/runs/run-config.ts";
import type { ShownMessage } from "../provider/media.ts";
import type { ShownFiles } from "../loop/files/shown-files.ts";
import { conversationRecord } from "../loop/context/conversation-record.ts";
import { initialMessages } from "../loop/context/initial-messages.ts";
import type { RunConfig } from "../../protocol/runs/run-config.ts";

const Tokens = z.number().nonnegative();

/** Usage of a session over all the runs that it went through: Claude Code goes on counting when it is resumed. */
export const SessionUsage = z.object({
  input_tokens: Tokens,
  cached_input_tokens: Tokens,
  cache_write_input_tokens: Tokens,
  output_tokens: Tokens,
  reasoning_tokens: Tokens,
  cost_usd: Tokens.nullable(),
});
export type SessionUsage = z.infer<typeof SessionUsage>;

/** The session's record on a run's last answer, stored as reasoning: the next run of this backend finds it in its history. */
export const Session = z.object({ session_id: z.uuid(), used: SessionUsage });
export type Session = z.infer<typeof Session>;

export type SessionStart = {
  /** Absent where there is none, or another backend has answered since. */
  session: Session | undefined;
  /** Prompt for a session that is resumed. */
  prompt: ShownMessage;
  /** Inputs for a new session. */
  fromScratch: ShownMessage[];
};

export async function sessionStart(config: RunConfig, files: ShownFiles): Promise<SessionStart> {
  const { history, prompt: text = "(Go on from where the conversation stops.)", parts } = initialMessages(config);
  const asked: ShownMessage = { role: "user", text, ...(parts && { parts }) };
  const shown = await files.show([...history, asked]);
  const prompt = shown.at(-1) ?? asked;
  // The record is a text: the files of former messages are named in it, and shown with it.
  const former = shown.slice(0, -1);
  const media = former.flatMap((message) => message.media ?? []);
  const record: ShownMessage = { role: "user", text: conversationRecord(former), ...(media.length > 0 && { media }) };
  return {
    session: sessionOf(history.at(-1)),
    prompt,
    fromScratch: history.length === 0 ? [prompt] : [record, prompt],
  };
}

/** The session of the last message. A session that didn't answer last lacks what was said after it. */
function sessionOf(last: Message | undefined): Session | undefined {
  if (last?.role !== "assistant") return undefined;
  const block = last.reasoning?.findLast(({ provider }) => provider === "claude");
  return Session.safeParse(block?.opaque).data;
}

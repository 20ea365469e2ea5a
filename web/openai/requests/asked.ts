/** The form of what a client of OpenAI's API asks for, whichever of its two dialects it speaks. */
import type { AttachmentRef } from "../../../protocol/files/attachment.ts";

/** A message, in order. A client's `system` and `developer` messages are its instructions. */
export type AskedMessage = {
  role: "instructions" | "user" | "assistant";
  text: string;
  attachments: AttachmentRef[];
};

export type Asked = {
  /** `cortex/<persona>` or `agent/<id or name>`. */
  model: string;
  messages: AskedMessage[];
  /** Whether the answer comes as it is made. */
  stream: boolean;
  /** The run that it goes on from, where the client says so in the body. */
  continueFrom?: string | undefined;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
};

/** The roles of messages, by their names in both dialects. */
const roles = new Map<string, AskedMessage["role"]>([
  ["system", "instructions"],
  ["developer", "instructions"],
  ["user", "user"],
  ["assistant", "assistant"],
]);

/** The role of a message; undefined for a name that is none. */
export const roleOf = (name: string): AskedMessage["role"] | undefined => roles.get(name);

/** The part of a conversation that stands before what is asked, and what is asked: all that the user said last. */
export function splitLast(messages: readonly AskedMessage[]): { before: AskedMessage[]; last: AskedMessage[] } {
  const spoken = messages.filter(({ role }) => role !== "instructions");
  const behind = spoken.findLastIndex(({ role }) => role === "assistant") + 1;
  return { before: spoken.slice(0, behind), last: spoken.slice(behind) };
}

/** The instructions of a client, as one text. */
export const instructionsIn = (messages: readonly AskedMessage[]): string =>
  textOf(messages.filter(({ role }) => role === "instructions"));

export const textOf = (messages: readonly AskedMessage[]): string =>
  messages
    .map(({ text }) => text)
    .filter((text) => text.trim() !== "")
    .join("\n\n");

export const attachmentsOf = (messages: readonly AskedMessage[]): AttachmentRef[] =>
  messages.flatMap(({ attachments }) => attachments);

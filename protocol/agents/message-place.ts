/** A message to a long-lived agent, and what became of it. */
import { channelTypePattern, type InboundMessage, messageIdPattern } from "./channel.ts";

/** The name of a message in its agent's inbox and events. */
export const itemIdOf = ({ id, channel }: Pick<InboundMessage, "id" | "channel">): string => `${channel.type}:${id}`;

/** The message that has this name in an inbox. Null: it isn't one of a channel's. */
export function messageOfItem(item: string): { type: string; id: string } | null {
  const end = item.indexOf(":");
  const [type, id] = [item.slice(0, end), item.slice(end + 1)];
  return channelTypePattern.test(type) && messageIdPattern.test(id) ? { type, id } : null;
}

/** The reason for which no turn will ever hear a message. */
export type Unheard = "taken_back" | "put_away";

/** `coming`: it is on its way, or waits in the inbox. `heard`: by the turn of this run. `unheard`: no turn hears it any more. */
export type MessagePlace =
  | { is: "coming" }
  | { is: "heard"; run: string; isOver: boolean }
  | { is: "unheard"; why: Unheard };

/** The same in words, for who waits for the answer. */
export const unheardWords: Readonly<Record<Unheard, string>> = {
  taken_back: "the agent doesn't hear this: it was taken back before its turn, or the conversation began anew",
  put_away:
    "the agent doesn't hear this: it couldn't be taken in, three times, and was put away. See cortex quarantine",
};

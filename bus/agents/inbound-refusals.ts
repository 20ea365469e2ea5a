/** Refusals of messages into agents, in words that their sender can act on. */
import { maxMessageText } from "../../protocol/agents/channel.ts";
import type { Bus } from "../connection/connect.ts";

/** Seconds after which a sender may try again: by then the agents' service has usually made room. */
export const retryAfterSeconds = 30;

/** As much waits on a channel as may. Nothing was stored. */
export class ChannelFullError extends Error {
  override name = "ChannelFullError";

  /** @param type of the channel; undefined: what all channels share */
  constructor(type: string | undefined, cause: unknown) {
    const what = type === undefined ? "what adapters say" : `the channel ${type}`;
    super(
      `${what} is full: what waits there has to be answered first. Nothing was stored; send it again in ${retryAfterSeconds} s`,
      { cause },
    );
  }
}

/** Larger than the bus or an agent takes, now and ever. */
export class MessageTooLargeError extends Error {
  override name = "MessageTooLargeError";
}

/** Room for a message's headers, within the bus's limit for both. */
const headerBytes = 1024;

/** @throws MessageTooLargeError */
export function checkSize(bus: Bus, text: string): void {
  const most = (bus.connection.info?.max_payload ?? 1024 * 1024) - headerBytes;
  const size = Buffer.byteLength(text);
  if (size <= most) return;
  throw new MessageTooLargeError(`a message of ${size} bytes is too large: ${most} is the most. Make it shorter`);
}

/** Holds a message's text to what an agent takes: a longer one would be stored, and never answered. @throws MessageTooLargeError */
export function checkLength({ length }: string): void {
  if (length <= maxMessageText) return;
  throw new MessageTooLargeError(
    `a message of ${length} characters is too long: ${maxMessageText} is the most. Make it shorter`,
  );
}

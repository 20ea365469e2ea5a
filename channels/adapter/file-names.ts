/** Files of a message in words, where a channel can't carry them. Pure. */
import type { OutboundMessage } from "../../protocol/agents/channel.ts";

/** The message with a line for each of its files below its text. */
export function withFileNames(message: OutboundMessage): OutboundMessage {
  const lines = (message.attachments ?? []).map(
    ({ name = "file", mime, size }) =>
      `[file ${[name, mime, size === undefined ? undefined : `${size} bytes`].filter(Boolean).join(", ")}]`,
  );
  return lines.length === 0 ? message : { ...message, text: [message.text, ...lines].join("\n") };
}

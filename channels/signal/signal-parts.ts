/** The parts in which a message goes out: texts with their styles, then each file. Pure. */
import { z } from "zod";
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { askedBy } from "../adapter/questions/asked-question.ts";
import { cutText } from "../adapter/text/cut-text.ts";
import { type StyledRange, styledText } from "../adapter/text/styled-text.ts";

/** Signal's apps show a longer text as a file. In UTF-16 units. */
export const maxPart = 2000;

const stylesKey = "text_styles";
const Styles = z.array(z.string().regex(/^\d{1,9}:\d{1,9}:[A-Z]{1,20}$/));

/** The line that says which reactions answer a question. */
export const reactionHint = "Or react to this message: 👍 allows it, 👎 denies it.";

export function signalParts(message: OutboundMessage): OutboundMessage[] {
  const { attachments = [], metadata: _metadata, ...said } = message;
  const question = askedBy(message);
  // The arguments of a call are shown as they are.
  const styled = question ? { text: `${said.text}\n${reactionHint}`, ranges: [] } : styledText(said.text);
  const parts = [
    ...cutText(styled, maxPart).map(({ text, ranges }) => ({
      ...said,
      text,
      metadata: { ...(question && message.metadata), [stylesKey]: ranges.map(styleOf) },
    })),
    ...attachments.map((file) => ({ ...said, text: "", attachments: [file] })),
  ];
  // One without anything is refused when it goes out, and not passed over.
  return parts.length === 0 ? [{ ...said, text: "" }] : parts;
}

/** The styles of a part, as signal-cli takes them: `start:length:STYLE`. */
export const stylesOf = ({ metadata }: OutboundMessage): string[] => Styles.safeParse(metadata?.[stylesKey]).data ?? [];

const styleOf = ({ start, length, style }: StyledRange) => `${start}:${length}:${style}`;

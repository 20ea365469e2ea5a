/** The parts in which a message goes out: its text in pieces of Telegram's size, then each of its files. The same ones each time. Pure. */
import type { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { askedBy } from "../../adapter/questions/asked-question.ts";
import { htmlOf, plainOf } from "../format/html.ts";
import { piecesOf } from "../format/markdown.ts";
import { maxPart, splitStyled } from "../format/split.ts";
import { type Piece } from "../format/styled-text.ts";

/** A part of a message. Its text has no markup. @field html the same with markup, where it has any */
export type TextPart = OutboundMessage & { html?: string };

export function partsOf(message: OutboundMessage): TextPart[] {
  const { attachments = [], html: _html, ...said } = message;
  // The buttons stand under the last part of the text; each file is a message of its own.
  const { metadata: _metadata, ...rest } = said;
  const texts = splitStyled(styled(message));
  if (texts.length === 0 && attachments.length === 0) return [said];
  return [
    ...texts.map((pieces, index) => ({ ...(index + 1 === texts.length ? said : rest), ...written(pieces) })),
    ...attachments.map((one) => ({ ...rest, text: "", attachments: [one] })),
  ];
}

/** A question shows a call as it is, whatever that looks like. */
function styled(message: OutboundMessage): Piece[] {
  return askedBy(message) ? [{ text: message.text.toWellFormed(), styles: [] }] : piecesOf(message.text);
}

function written(pieces: readonly Piece[]): { text: string; html?: string } {
  const { html, entities } = htmlOf(pieces);
  return { text: plainOf(pieces, maxPart), ...(entities > 0 && { html }) };
}

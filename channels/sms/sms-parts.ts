/** The parts in which a message goes out: texts that Twilio takes, then each picture. Other files are named in the text. Pure. */
import type { Attachment, OutboundMessage } from "../../protocol/agents/channel.ts";
import { askedBy } from "../adapter/questions/asked-question.ts";
import { cutText } from "../adapter/text/cut-text.ts";
import { withFileNames } from "../adapter/file-names.ts";
import { styledText } from "../adapter/text/styled-text.ts";

/** From Twilio, which refuses a longer text (error 21617). */
export const maxPart = 1600;

/** From Twilio: the pictures that it fits to each phone, and the bytes of a message. */
const pictures = ["image/jpeg", "image/png", "image/gif"];
export const maxPictureBytes = 5_000_000;

export function smsParts(message: OutboundMessage): OutboundMessage[] {
  const { attachments = [], ...said } = message;
  const text = askedBy(message) ? said.text : styledText(said.text).text;
  const named = withFileNames({ ...said, text, attachments: attachments.filter((one) => !isPicture(one)) });
  const { metadata: _metadata, attachments: _named, ...rest } = named;
  const parts = [
    ...cutText({ text: named.text, ranges: [] }, maxPart).map((part) => ({ ...rest, text: part.text })),
    ...attachments.filter(isPicture).map((picture) => ({ ...rest, text: "", attachments: [picture] })),
  ];
  // One without anything is refused when it goes out, and not passed over.
  return parts.length === 0 ? [{ ...rest, text: "" }] : parts;
}

const isPicture = ({ id, mime = "", size = 0 }: Attachment) =>
  id !== undefined && pictures.includes(mime) && size <= maxPictureBytes;

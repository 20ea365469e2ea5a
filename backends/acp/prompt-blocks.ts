/** A message as content blocks: its text, and its files as far as the agent takes them. Pure. */
import type { ContentBlock, PromptCapabilities } from "@agentclientprotocol/sdk";
import type { Media, ShownMessage } from "../provider/media.ts";

/** Whether an agent takes files of a media type as they are. */
export function takesMedia({ image, audio, embeddedContext }: PromptCapabilities, mime: string): boolean {
  if (mime.startsWith("image/")) return image === true;
  if (mime.startsWith("audio/")) return audio === true;
  return mime === "application/pdf" && embeddedContext === true;
}

/** The blocks of messages, in order. */
export const promptBlocks = (messages: readonly ShownMessage[]): ContentBlock[] =>
  messages.flatMap(({ text = "", media = [] }) => [
    ...media.map(mediaBlock),
    ...(text === "" ? [] : [textBlock(text)]),
  ]);

export const textBlock = (text: string): ContentBlock => ({ type: "text", text });

function mediaBlock({ kind, name, mime, data }: Media): ContentBlock {
  if (kind === "pdf")
    return { type: "resource", resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType: mime, blob: data } };
  return { type: kind, mimeType: mime, data };
}

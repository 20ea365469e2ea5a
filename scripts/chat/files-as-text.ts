/** Files of a reply as lines that say where they are: a terminal shows none. */
import { join } from "node:path";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { OutboundMessage } from "../../protocol/agents/channel.ts";
import { contentPath } from "../../protocol/files/attachment.ts";

/** The text of a reply, and a line for each file that goes with it. */
export function textWithFiles({ text, attachments = [] }: OutboundMessage, journal: string): string {
  const lines = attachments.map(({ id, name = "file", mime, size }) => {
    const where = id === undefined ? "" : `: ${join(attachmentsFolder(journal), contentPath(id))}`;
    return `[file ${name}, ${mime ?? "?"}, ${size ?? 0} bytes${where}]`;
  });
  return [text, ...lines].join("\n");
}

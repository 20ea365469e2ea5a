/** Files of a conversation as editors are shown them: links to where the journal keeps them. Pure. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { contentPath, filePartsIn } from "../../protocol/files/attachment.ts";

/** @param parts files as events have them */
export const fileLinks = (journal: string, parts: unknown): ContentBlock[] =>
  filePartsIn(parts).map(({ id, name, mime, size }) => ({
    type: "resource_link",
    uri: pathToFileURL(join(attachmentsFolder(journal), contentPath(id))).href,
    name,
    mimeType: mime,
    size,
  }));

export const filesContent = (journal: string, parts: unknown): ToolCallContent[] =>
  fileLinks(journal, parts).map((content) => ({ type: "content", content }));

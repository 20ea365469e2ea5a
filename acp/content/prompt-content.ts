/** A prompt of an editor's user: its blocks as text, and as files that are stored with the conversation. */
import { basename, isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource, ResourceLink } from "@agentclientprotocol/sdk";
import { storeAttachment } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { attachmentRules, attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { isBase64 } from "../../protocol/files/base64.ts";
import { maxAttachments } from "../../protocol/files/attachment.ts";
import type { AcpDeps } from "../base/acp-deps.ts";
import { wrongParams } from "../base/request-error.ts";

export type PromptContent = { text: string; attachments: { id: string; name: string }[] };

type GivenFile = { name: string; data: string };

/** @throws RequestError for an empty prompt; AttachmentError for a file that isn't taken */
export async function readPrompt(
  { journal, settings }: Pick<AcpDeps, "journal" | "settings">,
  blocks: readonly ContentBlock[],
  cwd: string,
): Promise<PromptContent> {
  const { texts, files } = partsOf(blocks, cwd);
  if (files.length > maxAttachments) throw wrongParams(`prompt: expected at most ${maxAttachments} files`);
  const rules = attachmentRules(settings());
  const attachments = [];
  for (const { name, data } of files) {
    if (!isBase64(data)) throw new AttachmentError(`"${name}": its data isn't base64`);
    const { id } = await storeAttachment(attachmentsFolder(journal), name, [Buffer.from(data, "base64")], rules);
    attachments.push({ id, name });
  }
  const text = texts.filter((one) => one.trim() !== "").join("\n\n");
  if (text === "" && attachments.length === 0) throw wrongParams("prompt: there is nothing to answer");
  return { text: text === "" ? "(see the attached files)" : text, attachments };
}

/** The texts and the files of a prompt, in order. Pure. */
export function partsOf(blocks: readonly ContentBlock[], cwd: string): { texts: string[]; files: GivenFile[] } {
  const texts: string[] = [];
  const files: GivenFile[] = [];
  for (const block of blocks) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image") files.push({ name: nameIn(block.uri, "image"), data: block.data });
    else if (block.type === "audio") files.push({ name: "sound", data: block.data });
    else if (block.type === "resource_link") texts.push(linkText(block, cwd));
    else if ("text" in block.resource) texts.push(resourceText(block, cwd));
    else files.push({ name: nameIn(block.resource.uri, "file"), data: block.resource.blob });
  }
  return { texts, files };
}

const linkText = ({ name, title, uri }: ResourceLink, cwd: string) => `[${title ?? name}](${placeOf(uri, cwd)})`;

function resourceText({ resource }: EmbeddedResource, cwd: string): string {
  const text = "text" in resource ? resource.text : "";
  // Longer than any fence in it.
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${placeOf(resource.uri, cwd)}:\n\n${fence}\n${text.endsWith("\n") ? text : `${text}\n`}${fence}`;
}

/** A file by its path, below the session's folder as tools name it; anything else by its address. */
function placeOf(uri: string, cwd: string): string {
  const path = pathOf(uri);
  if (path === null) return uri;
  const inFolder = relative(cwd, path);
  const isOutside = inFolder === "" || inFolder.startsWith("..") || isAbsolute(inFolder);
  // The lines that are meant stand behind it, as in #L10:20.
  return `${isOutside ? path : inFolder}${new URL(uri).hash}`;
}

function pathOf(uri: string): string | null {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : null;
  } catch {
    return null;
  }
}

function nameIn(uri: string | null | undefined, otherwise: string): string {
  const name = typeof uri === "string" ? basename(pathOf(uri) ?? uri) : "";
  return name === "" ? otherwise : name.slice(0, 200);
}

/** A tool's result as a model reads it: text of bounded size, and references to its files, which are stored. */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { type AttachmentLimits, attachmentRulesOf } from "../../../files/attachment-rules.ts";
import { AttachmentError } from "../../../files/errors/attachment-error.ts";
import type { FilePart } from "../../../protocol/files/attachment.ts";
import { cutDepth } from "../../../protocol/json/cut-depth.ts";

/** More than this would fill a model's context with one call. */
const maxBytes = 256 * 1024;

/**
 * A result as text, and its files as references. What isn't kept is a line that says so.
 * @param folder where files are kept; absent: nowhere
 */
export async function flattenResult(
  result: CallToolResult,
  folder: string | undefined,
  limits: AttachmentLimits = {},
): Promise<{ text: string; parts?: FilePart[] }> {
  const parts: FilePart[] = [];
  const lines: string[] = [];
  for (const block of result.content) {
    const kept = folder === undefined ? null : await keep(block, folder, limits);
    if (typeof kept === "object" && kept !== null) parts.push(kept);
    lines.push(textOf(block, typeof kept === "string" ? kept : kept ? null : "not shown"));
  }
  const text = lines.join("\n");
  if (text === "" && result.structuredContent)
    return { text: bounded(JSON.stringify(cutDepth(result.structuredContent))) };
  return { text: bounded(text), ...(parts.length > 0 && { parts }) };
}

/** Stores the file in a block; null: it has none. Resolves with why it isn't kept otherwise. */
async function keep(block: ContentBlock, folder: string, limits: AttachmentLimits): Promise<FilePart | string | null> {
  const file = fileIn(block);
  if (!file) return null;
  // Few runs have a file, and the store brings all of Node's crypto.
  const { storeAttachment } = await import("../../../files/attachment-store.ts");
  try {
    return await storeAttachment(folder, file.name, [Buffer.from(file.data, "base64")], attachmentRulesOf(limits));
  } catch (error) {
    if (error instanceof AttachmentError) return `not shown, ${error.message}`;
    throw error;
  }
}

function fileIn(block: ContentBlock): { name: string; data: string } | null {
  if (block.type === "image" || block.type === "audio")
    return { name: `${block.type}.${block.mimeType.split("/")[1] ?? "bin"}`, data: block.data };
  if (block.type === "resource" && "blob" in block.resource)
    return { name: block.resource.uri.split(/[?#]/)[0] ?? "", data: block.resource.blob };
  return null;
}

/** @param problem why its file isn't shown */
function textOf(block: ContentBlock, problem: string | null): string {
  const why = problem === null ? "" : `: ${problem}`;
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}, ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes${why}]`;
    case "resource_link":
      return `[${block.name}: ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[${block.resource.uri}: not text${why}]`;
  }
}

/** Cut at the bound, between characters, with a note that says so. */
export function bounded(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const head = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
  return `${head}\n[cut: the first ${maxBytes / 1024} KiB of ${Math.ceil(bytes.length / 1024)} KiB]`;
}

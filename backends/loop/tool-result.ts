/** A tool's result as the text that a model reads, of bounded size. Pure. */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { cutDepth } from "../../protocol/json/cut-depth.ts";

/** More than this would fill a model's context with one call. */
const maxBytes = 256 * 1024;

export function flatten(result: CallToolResult): string {
  const text = result.content.map(textOf).join("\n");
  if (text === "" && result.structuredContent) return bounded(JSON.stringify(cutDepth(result.structuredContent)));
  return bounded(text);
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}, ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes: not shown]`;
    case "resource_link":
      return `[${block.name}: ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[${block.resource.uri}: not text, not shown]`;
  }
}

/** Cut at the bound, between characters, with a note that says so. */
export function bounded(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const head = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
  return `${head}\n[cut: the first ${maxBytes / 1024} KiB of ${Math.ceil(bytes.length / 1024)} KiB]`;
}

/** The bounded answer of a tool from outside: it may send whatever it likes. Pure. */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { isDeeper } from "../../protocol/json/cut-depth.ts";

/** Characters of all texts of an answer. A run cuts at 256 KiB. */
const maxText = 1024 * 1024;
/** Characters of base64 of all images, sounds and files of an answer. */
const maxData = 6 * 1024 * 1024;
const maxBlocks = 256;
const maxStructured = 1024 * 1024;

/** The same answer, as far as it is within the bounds; what is left out says so. */
export function boundedResult({ content, structuredContent, isError }: CallToolResult): CallToolResult {
  const left = { text: maxText, data: maxData };
  const blocks = content.slice(0, maxBlocks).map((block) => boundedBlock(block, left));
  if (content.length > maxBlocks) blocks.push(noteBlock(`${content.length - maxBlocks} more parts left out`));
  if (isDeeper(structuredContent))
    return { content: [...blocks, noteBlock("the structured part is nested too deep: left out")], isError: true };
  // Of the stateless protocol it may be any value.
  const hasStructure = structuredContent !== undefined;
  const length = hasStructure ? JSON.stringify(structuredContent).length : 0;
  if (length <= maxStructured)
    return { content: blocks, ...(hasStructure && { structuredContent }), ...(isError && { isError }) };
  // A client may insist on the structure that the tool has promised, unless the answer is an error.
  const problem = noteBlock(`the structured part has ${length} characters, at most ${maxStructured} are passed on`);
  return { content: [...blocks, problem], isError: true };
}

function boundedBlock(block: ContentBlock, left: { text: number; data: number }): ContentBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: takeText(block.text, left) };
    case "image":
    case "audio":
      if (block.data.length > left.data) return tooLarge(`${block.type}, ${block.mimeType}`, block.data.length);
      left.data -= block.data.length;
      return { type: block.type, data: block.data, mimeType: block.mimeType };
    case "resource_link":
      return {
        type: "resource_link",
        name: block.name,
        uri: block.uri,
        ...(block.mimeType && { mimeType: block.mimeType }),
      };
    case "resource": {
      const { resource } = block;
      const { uri, mimeType } = resource;
      const about = { uri, ...(mimeType && { mimeType }) };
      if ("text" in resource) return { type: "resource", resource: { ...about, text: takeText(resource.text, left) } };
      if (resource.blob.length > left.data) return tooLarge(uri, resource.blob.length);
      left.data -= resource.blob.length;
      return { type: "resource", resource: { ...about, blob: resource.blob } };
    }
  }
}

function takeText(text: string, left: { text: number }): string {
  const taken = text.slice(0, left.text);
  left.text -= taken.length;
  return taken.length < text.length ? `${taken}\n[cut: ${text.length - taken.length} more characters]` : text;
}

const noteBlock = (text: string): ContentBlock => ({ type: "text", text: `[${text}]` });

const tooLarge = (what: string, length: number) =>
  noteBlock(`${what}, ${Math.floor((length * 3) / 4)} bytes: too large, left out`);

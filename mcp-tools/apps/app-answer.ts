/** The answer of an app's tool, as an answer of MCP: text as text, an object as text and structure. Pure. */
import { type CallToolResult, isCallToolResult } from "@modelcontextprotocol/server";
import { cutDepth } from "../../protocol/json/cut-depth.ts";
import { maxPartJsonDepth } from "../../protocol/json/parse-json.ts";
import { isRecord } from "../../protocol/json/json-object.ts";

export function answerOf(whole: unknown): CallToolResult {
  const returned = cutDepth(whole, maxPartJsonDepth);
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  // A tool that has more to show, images for one, says it in MCP's own form.
  if (isRecord(returned) && Array.isArray(returned["content"]) && isCallToolResult(returned)) return returned;
  const text = JSON.stringify(returned, null, 2) ?? "done";
  return { content: [{ type: "text", text }], ...(isRecord(returned) && { structuredContent: returned }) };
}

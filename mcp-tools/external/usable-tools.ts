/** The tools of a server, as far as they can be used. It is text from outside: checked, bounded, cleaned. Pure. */
import { specTypeSchemas, type Tool as McpTool } from "@modelcontextprotocol/server";
import { argumentHeaderProblem } from "../../protocol/guards/argument-headers.ts";
import { cutDepth, isDeeper } from "../../protocol/json/cut-depth.ts";
import { maxPartJsonDepth } from "../../protocol/json/parse-json.ts";

/** MCP's own rule for a tool's name, without the slash, which no provider takes and no path needs. */
const toolName = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/;

const maxTools = 512;
/** A model reads all of these before its first word. */
const maxDescription = 8_192;
const maxSchemaBytes = 64 * 1024;

/**
 * The tools of a server under the names that runs know, `server.tool`, and what was left out.
 * @param offered what it has listed, unchecked
 * @param sendsHeaders whether arguments are sent as headers, too, where a tool asks for that
 */
export function usableTools(
  server: string,
  offered: readonly unknown[],
  sendsHeaders = false,
): { tools: McpTool[]; problems: string[] } {
  const tools = new Map<string, McpTool>();
  const problems: string[] = [];
  for (const one of offered.slice(0, maxTools)) {
    const parsed = specTypeSchemas.Tool["~standard"].validate(one);
    const problem = parsed.issues
      ? "it isn't described as a tool"
      : problemOf(parsed.value, tools, server, sendsHeaders);
    if (problem !== null || parsed.issues) problems.push(`tool ${shown(one)} is left out: ${problem}`);
    else tools.set(`${server}.${parsed.value.name}`, described(server, parsed.value));
  }
  if (offered.length > maxTools)
    problems.push(`it offers ${offered.length} tools: only the first ${maxTools} are used`);
  return { tools: [...tools.values()], problems };
}

function problemOf(
  tool: McpTool,
  taken: ReadonlyMap<string, McpTool>,
  server: string,
  sendsHeaders: boolean,
): string | null {
  if (!toolName.test(tool.name)) return "its name may have letters, digits, _, - and . only, 128 at most";
  if (tool.execution?.taskSupport === "required") return "it runs as a task, which nobody here can ask for";
  if (taken.has(`${server}.${tool.name}`)) return "another tool has this name";
  if (isDeeper([tool.inputSchema, tool.outputSchema], maxPartJsonDepth))
    return `its schemas are nested deeper than ${maxPartJsonDepth} levels`;
  const bytes = Buffer.byteLength(JSON.stringify([tool.inputSchema, tool.outputSchema]));
  if (bytes > maxSchemaBytes) return `its schemas have ${bytes} bytes: at most ${maxSchemaBytes}`;
  return sendsHeaders ? argumentHeaderProblem(tool.inputSchema) : null;
}

/** Nothing but these fields goes on: icons, `_meta` and what else there may be is for clients that we are not. */
function described(
  server: string,
  { name, title, description, inputSchema, outputSchema, annotations }: McpTool,
): McpTool {
  return {
    name: `${server}.${name}`,
    ...(title !== undefined && { title: cleanText(title, 200) }),
    ...(description !== undefined && { description: cleanText(description, maxDescription) }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && {
      annotations: { ...annotations, ...(annotations.title && { title: cleanText(annotations.title, 200) }) },
    }),
  };
}

/** Without control and format characters, which make text look like what it isn't. */
export function cleanText(text: string, maxLength: number): string {
  const plain = text.replaceAll(/[^\P{C}\n\t]/gu, "");
  return plain.length > maxLength ? `${plain.slice(0, maxLength)}…` : plain;
}

function shown(tool: unknown): string {
  const name = typeof tool === "object" && tool !== null && "name" in tool ? tool.name : tool;
  return cleanText(JSON.stringify(cutDepth(name)) ?? "", 100);
}

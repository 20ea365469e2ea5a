/** Asks a server for its tools, page by page. */
import type { Client, Tool as McpTool } from "@modelcontextprotocol/client";
import { z } from "zod";
import { cleanText, usableTools } from "./usable-tools.ts";

/** A list of tools, of which nothing is believed yet: one bad tool must not hide the others. */
const ToolPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
  // What an app says of its modules.
  _meta: z.looseObject({ problems: z.array(z.string()).optional().catch([]) }).optional(),
});

/** One that never stops is cut off here. */
const maxPages = 100;
const maxProblems = 50;

/** The tools of a server, and the problems of those that can't be used. */
export type ListedTools = { tools: McpTool[]; problems: string[] };

/** @param timeout for each page, in ms  @param isProgram whether the server is one: no headers go to it */
export async function listTools(
  client: Client,
  server: string,
  timeout: number,
  isProgram: boolean,
): Promise<ListedTools> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], problems: ["it offers no tools"] };
  const offered: unknown[] = [];
  const told: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, ToolPage, { timeout });
    offered.push(...answer.tools);
    told.push(...(answer._meta?.problems ?? []).map((problem) => cleanText(problem, 500)));
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  const { tools, problems } = usableTools(server, offered, !isProgram && client.getProtocolEra() === "modern");
  return { tools, problems: [...told, ...problems].slice(0, maxProblems) };
}

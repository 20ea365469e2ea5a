/** Answers one MCP request of whoever holds a grant: shows its tools, and runs them. No state is kept between requests. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { type CallToolResult, CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { Grant } from "../journal/tokens.ts";
import type { Logger } from "../proc/log.ts";
import { tools } from "./packs.ts";
import type { ToolContext } from "./tool.ts";

/** Of no use to a server that never asks its client for input; but each one that isn't handed in costs a millisecond. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * Without sessions a request stands for itself: the token is checked anew for each, and a client doesn't notice that the
 * server was restarted.
 */
export async function serveTools(
  request: IncomingMessage,
  response: ServerResponse,
  message: unknown,
  grant: Grant,
  context: ToolContext,
  log: Logger,
): Promise<void> {
  const server = new Server({ name: "cortex", version: "1" }, { capabilities: { tools: {} }, jsonSchemaValidator });
  const granted = new Set(grant.tools);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()]
      .filter(({ name }) => granted.has(name))
      .map(({ name, description, inputSchema, readOnly }) => ({
        name,
        description,
        inputSchema,
        annotations: { readOnlyHint: readOnly, openWorldHint: false },
      })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    const tool = granted.has(params.name) ? tools.get(params.name) : undefined;
    if (!tool)
      return failure(`no tool "${params.name.slice(0, 100)}" here: this run has ${grant.tools.join(", ") || "none"}`);
    const started = performance.now();
    try {
      const { text, structured, isError } = await tool.call(params.arguments, context);
      return {
        content: [{ type: "text", text }],
        ...(structured && { structuredContent: structured }),
        ...(isError && { isError }),
      };
    } catch (error) {
      log.error({ agent_id: grant.agent_id, tool: tool.name, err: error }, "tool failed");
      return failure(`${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      log.debug(
        { agent_id: grant.agent_id, tool: tool.name, ms: Math.round(performance.now() - started) },
        "tool called",
      );
    }
  });
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.once("close", () => {
    server.close().catch((error: unknown) => log.warn({ err: error }, "could not close"));
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, message);
}

function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

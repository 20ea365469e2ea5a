/** The tools of a server that speaks the stateless protocol alone, made by the official SDK. */
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Makes the server of a request, or of a connection. @param grown whether it has its second tool by now */
export function statelessServer(grown: () => boolean): McpServer {
  const server = new McpServer({ name: "stateless", version: "1" }, { capabilities: { tools: { listChanged: true } } });
  const region = z.string().meta({ "x-mcp-header": "Region" });
  const inputSchema = z.object({ region });
  server.registerTool("where", { description: "Says where, and in which trace.", inputSchema }, (args, { mcpReq }) => ({
    content: [{ type: "text", text: JSON.stringify({ ...args, trace: mcpReq._meta?.["traceparent"] }) }],
  }));
  server.registerTool("process", { description: "Says which process it is." }, () => ({
    content: [{ type: "text", text: String(process.pid) }],
  }));
  if (grown())
    server.registerTool("late", { description: "Came later." }, () => ({ content: [{ type: "text", text: "late" }] }));
  return server;
}

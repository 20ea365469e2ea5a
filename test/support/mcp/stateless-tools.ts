/** The tools of a server that speaks the stateless protocol alone, made by the official SDK. */
import { acceptedContent, createRequestStateCodec, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** The plant that was named in the first round, kept by the client until the second. */
const states = createRequestStateCodec<string>({ key: "a key that this server alone knows, long" });

const properties = { plant: { type: "string" }, number: { type: "integer" } } as const;
const form = (message: string, field: keyof typeof properties) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: properties[field] }, required: [field] },
  });

/** Makes the server of a request, or of a connection. @param grown whether it has its second tool by now */
export function statelessServer(grown: () => boolean): McpServer {
  const options = { capabilities: { tools: { listChanged: true } }, requestState: states };
  const server = new McpServer({ name: "stateless", version: "1" }, options);
  const region = z.string().meta({ "x-mcp-header": "Region" });
  const inputSchema = z.object({ region });
  server.registerTool("where", { description: "Says where, and in which trace.", inputSchema }, (args, { mcpReq }) => ({
    content: [{ type: "text", text: JSON.stringify({ ...args, trace: mcpReq._meta?.["traceparent"] }) }],
  }));
  server.registerTool("process", { description: "Says which process it is." }, () => ({
    content: [{ type: "text", text: String(process.pid) }],
  }));
  server.registerTool("plant", { description: "Asks which plant, and how many." }, async ({ mcpReq }) => {
    const { inputResponses, requestState } = mcpReq;
    const plant = requestState<string>();
    const number = acceptedContent<{ number: number }>(inputResponses, "number")?.number;
    if (plant !== undefined && number !== undefined)
      return { content: [{ type: "text", text: `planted ${number} ${plant}` }] };
    const named = plant ?? acceptedContent<{ plant: string }>(inputResponses, "plant")?.plant;
    if (named === undefined) return inputRequired({ inputRequests: { plant: form("Which plant?", "plant") } });
    const inputRequests = { number: form(`How many ${named}?`, "number") };
    return inputRequired({ inputRequests, requestState: await states.mint(named) });
  });
  if (grown())
    server.registerTool("late", { description: "Came later." }, () => ({ content: [{ type: "text", text: "late" }] }));
  return server;
}

/** The tools that the suite calls by name, as an outside MCP server of the journal: what they answer goes through ours. */
import { setTimeout as delay } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ContentBlock,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { image, sound } from "./media.ts";

const resource = (uri: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: "This is an embedded resource content." },
});
const text: ContentBlock = { type: "text", text: "This is a simple text response for testing." };
const picture: ContentBlock = { type: "image", data: image, mimeType: "image/png" };

const answers: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text] },
  test_image_content: { content: [picture] },
  test_audio_content: { content: [{ type: "audio", data: sound, mimeType: "audio/wav" }] },
  test_embedded_resource: { content: [resource("test://embedded-resource")] },
  test_multiple_content_types: { content: [text, picture, resource("test://mixed-content-resource")] },
  test_error_handling: { content: [{ type: "text", text: "This tool always fails." }], isError: true },
  test_tool_with_progress: { content: [text] },
  json_schema_2020_12_tool: { content: [text] },
};

const schemas: Readonly<Record<string, Tool["inputSchema"]>> = {
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  },
};

const server = new Server({ name: "conformance", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(answers).map((name) => ({
    name,
    description: `The tool ${name} of the suite.`,
    inputSchema: schemas[name] ?? { type: "object" as const },
  })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
  const progressToken = params._meta?.progressToken;
  if (params.name === "test_tool_with_progress" && progressToken !== undefined)
    for (const progress of [0, 50, 100]) {
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      await delay(20);
    }
  return (
    answers[params.name] ?? { content: [{ type: "text", text: `there is no tool ${params.name}` }], isError: true }
  );
});
await server.connect(new StdioServerTransport());

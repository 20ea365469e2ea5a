/** The tools that the suite calls by name, as an outside MCP server of the journal: what they answer goes through ours. */
import { setTimeout as delay } from "node:timers/promises";
import { type CallToolResult, type ContentBlock, Server, type Tool } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { askingTools, requestState } from "./asking-tools.ts";
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
  test_logging_tool: { content: [text] },
  json_schema_2020_12_tool: { content: [text] },
};

/** As text: an object with a member "then" would be taken for a promise. */
const conditions = parseOwnJson('{"if":{"required":["address"]},"then":{"required":["name"]},"else":{}}') as object;

const schemas: Readonly<Record<string, Tool["inputSchema"]>> = {
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "address",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    allOf: [{ anyOf: [{ required: ["name"] }, { required: ["address"] }] }],
    ...conditions,
    additionalProperties: false,
  },
};

const server = new Server({ name: "conformance", version: "1" }, { capabilities: { tools: {} }, requestState });
server.setRequestHandler("tools/list", () => ({
  tools: [...Object.keys(answers), ...Object.keys(askingTools)].map((name) => ({
    name,
    description: `The tool ${name} of the suite.`,
    inputSchema: schemas[name] ?? { type: "object" as const },
  })),
}));
server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
  const ask = askingTools[params.name];
  if (ask) return await ask(mcpReq);
  const progressToken = mcpReq._meta?.progressToken;
  if (params.name === "test_tool_with_progress" && progressToken !== undefined)
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      // Words that come together with the answer are lost: the SDK hears the answer first.
      await delay(200);
    }
  return (
    answers[params.name] ?? { content: [{ type: "text", text: `there is no tool ${params.name}` }], isError: true }
  );
});
// A program that speaks both is greeted in the older way, in which nobody can be asked.
serveStdio(() => server, { legacy: "reject" });

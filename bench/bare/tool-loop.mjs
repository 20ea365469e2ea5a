/** The loop of an agent with nothing around it: asks the model, calls the tools that it wants, until it wants none. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { OPENAI_BASE_URL, OPENAI_API_KEY, MCP_URL, MCP_TOKEN } = process.env;
const client = new Client({ name: "bare", version: "1" });
const requestInit = { headers: { authorization: `Bearer ${MCP_TOKEN}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit }));
const { tools } = await client.listTools();
const functions = tools.map(({ name, description, inputSchema }) => ({
  type: "function",
  name,
  description,
  parameters: inputSchema,
  strict: false,
}));
const input = [{ type: "message", role: "user", content: "hello" }];

for (;;) {
  const output = await ask();
  const calls = output.filter(({ type }) => type === "function_call");
  if (calls.length === 0) break;
  input.push(...output);
  for (const { call_id, name, arguments: args } of calls) {
    const { content } = await client.callTool({ name, arguments: JSON.parse(args) });
    input.push({ type: "function_call_output", call_id, output: content.map(({ text }) => text).join("\n") });
  }
}
await client.close();

async function ask() {
  const response = await fetch(`${OPENAI_BASE_URL}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({
      model: "gpt-bench",
      input,
      tools: functions,
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
    }),
  });
  const completed = (await response.text()).split("\n").find((line) => line.includes('"type":"response.completed"'));
  if (completed === undefined) throw new Error(`no answer, status ${response.status}`);
  return JSON.parse(completed.slice("data: ".length)).response.output;
}

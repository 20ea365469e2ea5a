/** The Responses API of the played model. */
import { type Body, coderTokens, type PlayedDialect } from "./played-dialect.ts";
import type { ModelAnswer, Offered, Said } from "./coder-script.ts";

type Tool = { type?: string; name?: string; parameters?: Record<string, unknown>; tools?: Tool[] };
type Item = { type?: string; role?: string; content?: string | { text?: string }[]; output?: unknown; tools?: Tool[] };

const event = (data: { type: string; [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const usage = {
  input_tokens: coderTokens.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: coderTokens.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: coderTokens.input + coderTokens.output,
};

export const openaiDialect: PlayedDialect = {
  isCall: (path) => /\/responses(\?|$)/.test(path),
  saidIn: ({ input }) => (input as Item[]).flatMap(ofItem),
  toolsIn: ({ tools, input }) =>
    [...((tools ?? []) as Tool[]), ...foundTools(input as Item[])].flatMap((tool) => offeredBy(tool)),
  isStreamed: (_, { stream }) => stream === true,
  frames(answer, body, number) {
    const { model } = body;
    const response = { id: `resp_${number}`, object: "response", model, status: "in_progress", output: [] };
    const item = itemOf(answer, body, number);
    return [
      event({ type: "response.created", response }),
      event({ type: "response.output_item.added", output_index: 0, item }),
      ...("text" in answer
        ? [
            event({
              type: "response.output_text.delta",
              item_id: item["id"],
              output_index: 0,
              content_index: 0,
              delta: answer.text,
            }),
          ]
        : []),
      event({ type: "response.output_item.done", output_index: 0, item }),
      event({ type: "response.completed", response: { ...response, status: "completed", output: [item], usage } }),
    ];
  },
  whole: (answer, body, number) => ({
    id: `resp_${number}`,
    object: "response",
    model: body["model"],
    status: "completed",
    output: [itemOf(answer, body, number)],
    usage,
  }),
  other: (path) => (/\/models(\?|$)/.test(path) ? { object: "list", data: [], models: [] } : {}),
};

/** A namespace has tools of its own. */
function offeredBy({ name, parameters = {}, tools }: Tool, space?: string): Offered[] {
  if (name === undefined) return [];
  if (tools) return tools.flatMap((tool) => offeredBy(tool, name));
  return [{ name, schema: parameters, ...(space !== undefined && { space }) }];
}

/** Codex offers tools of others once they were searched for. */
const foundTools = (input: readonly Item[]) =>
  input.flatMap(({ type, tools }) => (type === "tool_search_output" ? (tools ?? []) : []));

const isUnknown = (tool: string, { tools, input }: Body) =>
  (tools as Tool[]).some(({ type }) => type === "tool_search") &&
  !JSON.stringify([tools, foundTools(input as Item[])]).includes(`"${tool}"`);

function itemOf(answer: ModelAnswer, body: Body, number: number): Record<string, unknown> {
  if ("text" in answer)
    return {
      type: "message",
      id: `msg_${number}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: answer.text, annotations: [] }],
    };
  const call_id = `call_${number}`;
  if (isUnknown(answer.call.tool, body)) {
    const search = { query: answer.call.tool.replaceAll("_", " "), limit: 8 };
    return { type: "tool_search_call", call_id, status: "completed", execution: "client", arguments: search };
  }
  return {
    type: "function_call",
    id: `fc_${number}`,
    call_id,
    name: answer.call.tool,
    ...(answer.call.space && { namespace: answer.call.space }),
    arguments: JSON.stringify(answer.call.args),
    status: "completed",
  };
}

function ofItem({ type, role, content, output }: Item): Said[] {
  if (type === "tool_search_output") return [];
  if (type?.endsWith("_output")) return [{ from: "tool", text: JSON.stringify(output) }];
  if (role === "assistant") return [{ from: "model" }];
  if (role !== "user") return [];
  const texts = typeof content === "string" ? [content] : (content ?? []).map(({ text = "" }) => text);
  return texts.map((text) => ({ from: "user", text }));
}

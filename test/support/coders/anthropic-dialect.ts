/** The Messages API of the played model. */
import { coderTokens, type PlayedDialect } from "./played-dialect.ts";
import type { Said } from "./coder-script.ts";

type Block = { type: string; text?: string; content?: unknown };

const event = (data: { type: string; [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

export const anthropicDialect: PlayedDialect = {
  isCall: (path) => /\/v1\/messages(\?|$)/.test(path),
  saidIn: ({ messages }) =>
    (messages as { role: string; content: string | Block[] }[]).flatMap(({ role, content }) =>
      role === "assistant"
        ? [{ from: "model" }]
        : ofUser(typeof content === "string" ? [{ type: "text", text: content }] : content),
    ),
  toolsIn: ({ tools }) =>
    ((tools ?? []) as { name: string; input_schema?: Record<string, unknown> }[]).map(
      ({ name, input_schema = {} }) => ({
        name,
        schema: input_schema,
      }),
    ),
  isStreamed: (_, { stream }) => stream === true,
  frames(answer, { model }, number) {
    const block =
      "text" in answer
        ? { type: "text", text: "" }
        : { type: "tool_use", id: `toolu_${number}`, name: answer.call.tool, input: {} };
    const delta =
      "text" in answer
        ? { type: "text_delta", text: answer.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(answer.call.args) };
    const usage = { input_tokens: coderTokens.input, output_tokens: 1 };
    const message = { id: `msg_${number}`, type: "message", role: "assistant", model, content: [], stop_reason: null };
    return [
      { type: "message_start", message: { ...message, stop_sequence: null, usage } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "text" in answer ? "end_turn" : "tool_use", stop_sequence: null },
        usage: { output_tokens: coderTokens.output },
      },
      { type: "message_stop" },
    ].map(event);
  },
  whole: (answer, { model }, number) => ({
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    content: [
      "text" in answer
        ? { type: "text", text: answer.text }
        : { type: "tool_use", id: `toolu_${number}`, name: answer.call.tool, input: answer.call.args },
    ],
    stop_reason: "text" in answer ? "end_turn" : "tool_use",
    usage: { input_tokens: coderTokens.input, output_tokens: coderTokens.output },
  }),
  other: (path) => (path.includes("count_tokens") ? { input_tokens: coderTokens.input } : {}),
};

function ofUser(blocks: readonly Block[]): Said[] {
  return blocks.flatMap((block): Said[] => {
    if (block.type === "tool_result") return [{ from: "tool", text: JSON.stringify(block.content) }];
    return block.type === "text" ? [{ from: "user", text: block.text ?? "" }] : [];
  });
}

/**
 * The names of OpenTelemetry's GenAI conventions (open-telemetry/semantic-conventions-genai), and nothing else has any. Every one
 * of them is in "Development" there: another version may rename it, so the version stands here, and on the wire.
 */

/** The version of the conventions. */
export const conventionsVersion = "0.1.0";

/** The operations that a span or a metric tells of. */
export const operations = { agent: "invoke_agent", call: "chat", tool: "execute_tool" } as const;

/** Attributes of the conventions. */
export const attributes = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agentName: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  tokenType: "gen_ai.token.type",
  toolName: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  errorType: "error.type",
} as const;

/** Attributes of our own, for what the conventions have no name for. */
export const ownAttributes = {
  run: "cortex.run.id",
  attempts: "cortex.run.attempts",
  costUsd: "cortex.cost_usd",
  estimated: "cortex.usage.estimated",
  purpose: "cortex.usage.purpose",
  link: "cortex.link.kind",
  conventions: "cortex.gen_ai_conventions.version",
} as const;

/** Attributes of the sender, by the general conventions. */
export const resourceAttributes = {
  service: "service.name",
  version: "service.version",
  instance: "service.instance.id",
} as const;

/** The value of `error.type` where there is no better one. */
export const otherError = "_OTHER";

/** Marks the series that stands for all that came when there were too many. */
export const overflowAttribute = "otel.metric.overflow";

/** The providers of backends that have one, as the conventions name them; any other is called what its backend is. */
export const providers: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  claude: "anthropic",
  "claude-code": "anthropic",
  openai: "openai",
  codex: "openai",
  qwen: "openai",
  google: "gcp.gemini",
  "gemini-cli": "gcp.gemini",
};

const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const;

/** Histograms of the conventions, with the bounds of their buckets from there. */
export const histograms = {
  tokens: {
    name: "gen_ai.client.token.usage",
    unit: "{token}",
    description: "Number of input and output tokens used.",
    bounds: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
  },
  callSeconds: {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    description: "GenAI operation duration.",
    bounds: seconds,
  },
  agentSeconds: {
    name: "gen_ai.invoke_agent.duration",
    unit: "s",
    description: "Duration of a run.",
    bounds: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
  },
  toolSeconds: {
    name: "gen_ai.execute_tool.duration",
    unit: "s",
    description: "Duration of a call of a tool.",
    bounds: seconds,
  },
} as const;
export type HistogramName = keyof typeof histograms;

/** Sums of our own. */
export const sums = {
  costUsd: { name: "cortex.cost_usd", unit: "{USD}", description: "Cost of model calls, as far as it is known." },
} as const;
export type SumName = keyof typeof sums;

/** The one line that a run's subprocess reads, and the lines that may follow it. */
import { z } from "zod";
import { AgentId } from "./names.ts";

/** Reasoning of a model. The opaque part goes back only to the provider and model that signed it. */
export const Reasoning = z.looseObject({
  provider: z.string().optional(),
  model: z.string().optional(),
  opaque: z.unknown().optional(),
  summary: z.string().optional(),
});
export type Reasoning = z.infer<typeof Reasoning>;

/** A call of a tool by the model. */
export const ToolCall = z.looseObject({ call_id: z.string(), tool: z.string(), args: z.unknown().optional() });
export type ToolCall = z.infer<typeof ToolCall>;

/** A message of the provider-neutral conversation. */
export const Message = z
  .looseObject({
    role: z.enum(["user", "assistant", "tool"]),
    text: z.string().optional(),
    calls: z.array(ToolCall).optional(),
    call_id: z.string().optional(),
    result: z.unknown().optional(),
    is_error: z.boolean().optional(),
    reasoning: z.array(Reasoning).optional(),
  })
  .meta({ id: "Message", description: "A message of the provider-neutral conversation." });
export type Message = z.infer<typeof Message>;

/** The merged configuration: defaults, then the persona, then the request. */
export const RunConfig = z
  .looseObject({
    agent_id: AgentId.optional(),
    attempt: z.number().int().positive().optional(),
    prompt: z.string(),
    persona: z.string().optional(),
    backend: z.string().optional(),
    model: z.string().optional(),
    max_tokens: z.number().optional(),
    max_turns: z.number().optional(),
    thinking_budget: z.number().optional(),
    temperature: z.number().optional(),
    instruction: z.string().optional().meta({ description: "The persona's text." }),
    extra_context: z.string().optional().meta({ description: "The day and time, the facet: what the run is about." }),
    history: z.array(Message).optional().meta({ description: "The conversation so far, oldest first." }),
    tools: z.array(z.string()).optional().meta({ description: "Names; packs are expanded." }),
    mcp_server_url: z.string().optional(),
    mcp_token: z.string().optional(),
    stream: z.boolean().optional(),
  })
  .meta({
    id: "RunConfig",
    title: "Run configuration",
    description: "The one JSON line that a backend reads on stdin.",
    examples: [
      {
        agent_id: "1736380800000",
        attempt: 1,
        prompt: "hello",
        persona: "default",
        backend: "offline",
        instruction: "You are a helpful assistant.",
        history: [
          { role: "user", text: "my name is Ada" },
          { role: "assistant", text: "Hello, Ada." },
        ],
        tools: ["search_journal"],
        mcp_server_url: "http://127.0.0.1:6270/mcp",
        mcp_token: "…",
      },
    ],
  });
export type RunConfig = z.infer<typeof RunConfig>;

/** A line on a run's stdin after its configuration. */
export const ControlLine = z
  .union([
    z.object({ type: z.literal("input"), text: z.string() }),
    z.object({ type: z.literal("cancel") }),
  ])
  .meta({
    id: "ControlLine",
    title: "Control line",
    description: "A line on a backend's stdin after its configuration.",
    examples: [{ type: "input", text: "Only the last month, please." }, { type: "cancel" }],
  });
export type ControlLine = z.infer<typeof ControlLine>;

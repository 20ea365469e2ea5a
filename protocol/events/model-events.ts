/** Shapes of the events of the model and its tools: what it says, calls and uses. */
import { z } from "zod";
import { callId, inputs, parts, text } from "./event-fields.ts";
import { Usage } from "./usage.ts";

/** Events of the model and its tools. */
export const modelEvents = {
  text: z.looseObject({ text: text("What the model said.") }).meta({
    description: "What the model said between tool calls.",
    examples: [{ text: "Let me look at last week." }],
  }),
  thinking: z
    .looseObject({
      summary: text("The reasoning in words, as far as the provider gives it.").optional(),
      model: text("The model that reasoned.").optional(),
      opaque: z
        .unknown()
        .optional()
        .meta({ description: "The provider's signed block, sent back to the same provider and model alone." }),
    })
    .meta({ description: "The model reasoned.", examples: [{ summary: "The user means the garden.", model: "m-1" }] }),
  web_search: z
    .looseObject({
      queries: z.array(z.string()).optional().meta({ description: "What was searched for." }),
      sources: z
        .array(z.looseObject({ url: text("Its address."), title: text("Its title.") }))
        .optional()
        .meta({ description: "The pages that were found, the first 50 of them." }),
      error: text("Why nothing was found, where the search failed.").optional(),
      model: text("The model that searched.").optional(),
      opaque: z
        .unknown()
        .optional()
        .meta({ description: "The provider's own blocks, sent back to the same provider and model alone." }),
    })
    .meta({
      description: "The provider of the model searched the web.",
      examples: [
        {
          queries: ["weather Beijing"],
          sources: [{ url: "https://weather.example/beijing", title: "Weather in Beijing" }],
          model: "m-1",
        },
      ],
    }),
  tool_start: z
    .looseObject({
      tool: text("The tool's name."),
      args: z.unknown().optional().meta({ description: "Its arguments." }),
      call_id: callId,
    })
    .meta({
      description: "A tool call begins.",
      examples: [{ tool: "search_journal", args: { query: "garden" }, call_id: "call-1" }],
    }),
  tool_end: z
    .looseObject({
      tool: text("The tool's name.").optional(),
      args: z.unknown().optional().meta({ description: "Its arguments." }),
      result: z.unknown().optional().meta({ description: "What the model reads." }),
      call_id: callId,
      parts,
      is_error: z.boolean().optional().meta({ description: "The result tells of a failure." }),
      duration_ms: z.number().optional().meta({ description: "How long it took, in ms." }),
    })
    .meta({
      description: "A tool call ended.",
      examples: [
        {
          tool: "search_journal",
          args: { query: "garden" },
          result: "20250108/notes.md:4: ordered the seeds",
          call_id: "call-1",
          is_error: false,
          duration_ms: 12,
        },
      ],
    }),
  agent_updated: z
    .looseObject({ agent: text("The agent that goes on.") })
    .meta({ description: "The backend switched to another agent of its own.", examples: [{ agent: "researcher" }] }),
  text_delta: z.looseObject({ text: text("A piece of the answer.") }).meta({
    description: "A piece of the answer as it comes. On the bus alone, and only with `stream`.",
    examples: [{ text: "Noth" }],
  }),
  tool_output: z.looseObject({ call_id: callId, text: text("A piece of what it prints.") }).meta({
    description: "A piece of what a tool prints as it comes. On the bus alone.",
    examples: [{ call_id: "call-1", text: "12 tests passed" }],
  }),
  usage: Usage.extend({ inputs }).meta({
    description: "What one model call used.",
    examples: [
      {
        model: "m-1",
        input_tokens: 812,
        cached_input_tokens: 0,
        output_tokens: 64,
        reasoning_tokens: 0,
        cost_usd: null,
      },
    ],
  }),
  retry: z
    .looseObject({
      attempt: z.number().meta({ description: "The attempt that failed, from 1." }),
      delay_ms: z.number().meta({ description: "How long until the next, in ms." }),
      reason: text("Why it failed."),
      status: z
        .number()
        .int()
        .optional()
        .meta({ description: "The HTTP status that the provider answered; 429: its rate limit." }),
    })
    .meta({
      description: "A model call failed and is tried again.",
      examples: [{ attempt: 1, delay_ms: 2104, reason: "429" }],
    }),
} as const;

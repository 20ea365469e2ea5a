/** Shapes of the events of the model and its tools: what it says, calls and uses. */
import { z } from "zod";
import { callId, count, inputs, parts, text } from "./event-fields.ts";
import { Message } from "./message.ts";
import { FinishReason, Usage } from "./usage.ts";

/** Events of the model and its tools. */
export const modelEvents = {
  text: z
    .looseObject({
      text: text("The words of the model."),
      partial: z.boolean().optional().meta({
        description:
          "`true`: a piece of a message that isn't whole yet, what came since the piece before it. A `text` without it, or `finish`, takes the place of all its pieces; a `retry` voids those of its model call.",
      }),
    })
    .meta({
      description:
        "The words of the model between tool calls; and as pieces, every 5 s at the latest, those of a message that isn't whole.",
      examples: [{ text: "Let me look at last week." }, { text: "It all began when", partial: true }],
    }),
  cut_off: z.looseObject({}).meta({
    description:
      "The answer was cut off at its limit of tokens: the pieces before this stay, and the next model call goes on from them.",
    examples: [{}],
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
      queries: z.array(z.string()).optional().meta({ description: "The searches." }),
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
      result: z.unknown().optional().meta({ description: "The result that the model reads." }),
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
  compacted: z
    .looseObject({
      summary: text("The summary that takes the place of the older part of the conversation."),
      kept: z
        .array(Message)
        .meta({ description: "The messages behind the summary, as the model is sent them from here on." }),
      replaced: count("How many messages the summary takes the place of.").optional(),
      inputs,
      tokens_before: count("How large the conversation was, in tokens.").optional(),
      tokens_after: count("How large it is now.").optional(),
      cost_usd: z.number().nonnegative().nullable().optional().meta({
        description: "The cost of the summary, which stands in `usage` as well; `null` where no price is known.",
      }),
      model: z.string().nullable().optional().meta({
        description: "The model that wrote the summary; `null`: none did, and it is made of excerpts.",
      }),
    })
    .meta({
      description:
        "The conversation had grown too large for its model: a summary takes the place of its older part. The file keeps all of it.",
      examples: [
        {
          summary: "Goal: a plan of the garden. Decided: beans in the north bed.",
          kept: [{ role: "user", text: "And the south bed?" }],
          replaced: 41,
          tokens_before: 164_210,
          tokens_after: 21_877,
          cost_usd: 0.0412,
          model: "m-1-small",
        },
      ],
    }),
  usage: Usage.extend({
    inputs,
    finish_reason: FinishReason.optional().catch(undefined).meta({
      description:
        "How the call ended: `stop`, `tool_calls`, `length` (cut off at its limit of tokens), `refusal`, `cancelled`, `error`.",
    }),
    context_tokens: count("How large the conversation is now: as the provider counts it, else estimated.")
      .optional()
      .catch(undefined),
    context_window: count("How large it may be for this model, where that is known.").optional().catch(undefined),
    purpose: text(
      "`compaction`: the call wrote the summary of the conversation; `internal`: it stands for calls that the backend doesn't show; `metered`: the gateway has counted the call.",
    )
      .optional()
      .catch(undefined),
    call: text("Of a call that the gateway has counted: which it is. Told again, it counts once.")
      .optional()
      .catch(undefined),
    estimated: z
      .boolean()
      .optional()
      .catch(undefined)
      .meta({ description: "Its provider didn't say it: it is estimated from the sizes of request and answer." }),
    repeated: z.boolean().optional().catch(undefined).meta({
      description: "The backend tells of calls that the gateway has counted: it counts for nothing.",
    }),
  }).meta({
    description: "The usage of one model call, and how it ended.",
    examples: [
      {
        model: "m-1",
        input_tokens: 812,
        cached_input_tokens: 0,
        output_tokens: 64,
        reasoning_tokens: 0,
        cost_usd: null,
        finish_reason: "stop",
        context_tokens: 876,
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

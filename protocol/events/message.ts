/** The provider-neutral conversation, message by message. */
import { z } from "zod";
import { FileParts } from "../files/attachment.ts";

const text = (description: string) => z.string().meta({ description });

/** Reasoning of a model. The opaque part goes back only to the provider and model that signed it. */
export const Reasoning = z.looseObject({
  provider: text("The provider that signed it.").optional(),
  model: text("Which model reasoned.").optional(),
  opaque: z.unknown().optional().meta({ description: "The signed block, sent back to that provider and model alone." }),
  summary: text("The reasoning in words.").optional(),
});
export type Reasoning = z.infer<typeof Reasoning>;

/** A call of a tool by the model. */
export const ToolCall = z.looseObject({
  call_id: text("Joins a call with its result."),
  tool: text("The tool's name."),
  args: z.unknown().optional().meta({ description: "Its arguments." }),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** A message of the provider-neutral conversation. */
export const Message = z
  .looseObject({
    role: z.enum(["user", "assistant", "tool"]).meta({ description: "The speaker; `tool` is a call's result." }),
    text: text("The text of the message.").optional(),
    parts: FileParts.optional(),
    calls: z.array(ToolCall).optional().meta({ description: "The tools that an assistant called." }),
    call_id: text("The call that this is the result of.").optional(),
    result: z.unknown().optional().meta({ description: "The result of the call." }),
    is_error: z.boolean().optional().meta({ description: "The result tells of a failure." }),
    reasoning: z.array(Reasoning).optional().meta({ description: "The reasoning of the assistant before it spoke." }),
  })
  .meta({
    id: "Message",
    title: "Message",
    description: "A message of the provider-neutral conversation.",
    examples: [
      {
        role: "assistant",
        text: "Let me look.",
        calls: [{ call_id: "call-1", tool: "search_journal", args: { query: "seeds" } }],
      },
      { role: "tool", call_id: "call-1", result: "20250108/notes.md:4: ordered the seeds", is_error: false },
    ],
  });
export type Message = z.infer<typeof Message>;

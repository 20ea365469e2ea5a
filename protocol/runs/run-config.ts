/** The one line that a run's subprocess reads, and the lines that may follow it. */
import { z } from "zod";
import { FileParts } from "../files/attachment.ts";
import { Message } from "../events/message.ts";
import { AgentId } from "../names/names.ts";
import { Compaction, ContextWindows } from "./compaction.ts";

export { Message, Reasoning, ToolCall } from "../events/message.ts";

const text = (description: string) => z.string().meta({ description });
const number = (description: string) => z.number().meta({ description });

/** The merged configuration: defaults, then the persona, then the request. */
export const RunConfig = z
  .looseObject({
    agent_id: AgentId.optional(),
    attempt: z.number().int().positive().optional().meta({ description: "Which attempt of the run this is, from 1." }),
    prompt: text("The prompt of the agent."),
    parts: FileParts.optional().meta({ description: "Files that go with the prompt, by reference." }),
    attachments_folder: text("Where their contents are: `<id[0..2]>/<id>` below it.").optional(),
    attachment_limits: z
      .object({
        max_mb: number("Most MiB of one file.").optional(),
        kinds: z.array(z.string()).optional().meta({ description: "The media types that are taken." }),
      })
      .optional()
      .meta({ description: "The settings' `attachments`, which hold for files that tools return as well." }),
    persona: text("The persona's name.").optional(),
    backend: text("The backend's name.").optional(),
    model: text("The model.").optional(),
    max_tokens: number("Most tokens of one answer.").optional(),
    max_turns: number("Most model calls with tools. Default 50.").optional(),
    loop_limit: number("So many equal calls in a row are a loop: the settings' `loop_limit`. Default 5.").optional(),
    thinking_budget: number("Tokens for reasoning.").optional(),
    temperature: number("Sampling temperature.").optional(),
    retry_seconds: z.array(z.number()).optional().meta({
      description: "Waits before further attempts of a model call that failed, in seconds. Absent: the backend's own.",
    }),
    instruction: z.string().optional().meta({ description: "The persona's text." }),
    extra_context: z.string().optional().meta({ description: "The day and time, the facet: what the run is about." }),
    waiting_calls: z.array(z.string()).optional().meta({
      description:
        "Calls of the attempt before that waited for a person: they are made once more, by the same ids, and their result takes the place of the one in `history`.",
    }),
    former_inputs: z.array(z.string()).optional().meta({
      description:
        "Ids of inputs to the attempts before that stand in `history`, of which nobody has said `input_taken`.",
    }),
    history: z.array(Message).optional().meta({ description: "The conversation so far, oldest first." }),
    prompt_in_history: z.boolean().optional().meta({
      description:
        "`true`: `history` holds what an attempt before was asked and did, so `prompt` isn't said again. Absent: it comes behind `history`.",
    }),
    tools: z.array(z.string()).optional().meta({ description: "Names; packs are expanded." }),
    provider_search: z.boolean().optional().meta({
      description:
        "`false`: with `web_search` among the tools, the provider's own search isn't used, since rules ask about it or deny it.",
    }),
    mcp_server_url: text("Where the tools are. Absent: no tools.").optional(),
    mcp_token: text("The run's own bearer token for our server.").optional(),
    acp: z
      .object({
        command: z.array(z.string()).min(1).meta({ description: "The agent's program and its arguments." }),
        permit: z
          .object({ url: text("Its address."), token: text("The run's own bearer token.") })
          .optional()
          .meta({
            description: "Where the rules are asked about the agent's own calls. Absent: nobody is, and none is made.",
          }),
        is_walled: z.boolean().optional().meta({ description: "Whether the whole process runs in a sandbox." }),
      })
      .optional()
      .meta({ description: "The coding agent that answers, which speaks the Agent Client Protocol on stdio." }),
    mode: text("The mode in which that agent works.").optional(),
    effort: text("How much it reasons, by its own word.").optional(),
    stream: z.boolean().optional().meta({ description: "Also emit `text_delta` events." }),
    keeps_conversation: z.boolean().optional().catch(undefined).meta({
      description:
        "`true`: whoever asked keeps the conversation, and makes it smaller where it is too long. So it isn't summed up before the first answer.",
    }),
    context_window: ContextWindows.optional().catch(undefined),
    compaction: Compaction.optional().catch(undefined),
    continue_cut_answers: z.boolean().optional().catch(undefined).meta({
      description: "`false`: an answer that is cut off at its limit of tokens isn't gone on with.",
    }),
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

/** The line before the configuration, for a process that was started ahead of its run. */
export const BeginLine = z.object({ type: z.literal("begin"), work_folder: z.string() });
export type BeginLine = z.infer<typeof BeginLine>;

/** A line on a run's stdin after its configuration. */
export const ControlLine = z
  .union([
    z.object({
      type: z.literal("input").meta({ description: "Something is said to the run." }),
      text: text("The text for the run."),
      id: text("Its id: the backend says `input_taken` with it once its model has heard it.").optional(),
      parts: FileParts.optional(),
    }),
    z.object({ type: z.literal("cancel").meta({ description: "Stop." }) }),
  ])
  .meta({
    id: "ControlLine",
    title: "Control line",
    description: "A line on a backend's stdin after its configuration.",
    examples: [{ type: "input", text: "Only the last month, please.", id: "i1" }, { type: "cancel" }],
  });
export type ControlLine = z.infer<typeof ControlLine>;

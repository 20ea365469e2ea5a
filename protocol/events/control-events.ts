/** Shapes of the events that steer a run: inputs, limits, permissions and clocks. */
import { z } from "zod";
import { AgentId } from "../names/names.ts";
import { parts, text } from "./event-fields.ts";

/** Events of inputs, limits, permissions and clocks. */
export const controlEvents = {
  input: z
    .looseObject({
      text: text("The text of the input."),
      id: text(
        "Its id, as its sender gave it or cortex has; the turn of an agent: which of its messages this is.",
      ).optional(),
      parts,
    })
    .meta({
      description: "Something was said to the run while it was running.",
      examples: [{ text: "Only this year, please.", id: "i1" }],
    }),
  input_taken: z.looseObject({ id: text("The id of the `input`.") }).meta({
    description: "The run's model has heard an input: it was part of a model call.",
    examples: [{ id: "i1" }],
  }),
  granted: z
    .looseObject({
      id: text("Under which it was asked for: the same id again gives nothing more."),
      limits: z.record(z.string(), z.number()).meta({ description: "The share of each limit that was given." }),
    })
    .meta({
      description: "The run gave of its limits to somebody whom it sends off: they are that much lower from here on.",
      examples: [{ id: "c0ffee", limits: { max_total_tokens: 435 } }],
    }),
  permission: z
    .looseObject({
      id: text("The id of the question: `cortex permissions allow ID`."),
      tool: text("The tool that was called; `loop`: the run seems to go in a circle."),
      args: z.unknown().optional().meta({ description: "The call's arguments, long ones cut." }),
      why: text("Why somebody is asked."),
      expires: z.number().int().meta({ description: "When the call is denied since nobody answered, in ms." }),
      loop: z.boolean().optional().meta({ description: "It is asked since the run repeats itself." }),
      action: z.enum(["approve", "escalate"]).optional().meta({
        description:
          "The person who is asked about a workspace's agent: whoever the workspace's rules say, or an admin.",
      }),
      call_id: text("The call's, as in its `tool_start`, where the backend says it.").optional(),
    })
    .meta({
      description: "A call waits for a person. The run's clocks stand still until it is decided.",
      examples: [
        {
          id: "5f0c8d0e9b1a4c7d8e2f3a4b5c6d7e8f",
          tool: "bash",
          args: { command: "npm publish" },
          why: "commands that run outside of a sandbox are asked about",
          expires: 1736381100000,
        },
      ],
    }),
  permission_decided: z
    .looseObject({
      id: text("The id of the question."),
      decision: z.enum(["allow", "deny"]).meta({ description: "The decision." }),
      by: text("The user who has decided, as `<channel>:<userId>`; `timeout`: nobody has."),
      always: z.boolean().optional().meta({ description: "A rule was kept, too." }),
    })
    .meta({
      description: "The call goes on, or is denied.",
      examples: [{ id: "5f0c8d0e9b1a4c7d8e2f3a4b5c6d7e8f", decision: "allow", by: "telegram:17" }],
    }),
  clocks_stopped: z
    .looseObject({
      id: text("The id of the question: `cortex permissions allow ID`."),
      run_id: AgentId.meta({ description: "The task's run, in whose file the question stands." }),
    })
    .meta({
      description: "The run waits for a task that waits for a person. Its clocks stand still.",
      examples: [{ id: "5f0c8d0e9b1a4c7d8e2f3a4b5c6d7e8f", run_id: "1736380800777" }],
    }),
  clocks_resumed: z
    .looseObject({ id: text("The id of the question.") })
    .meta({ description: "It waits for that no longer.", examples: [{ id: "5f0c8d0e9b1a4c7d8e2f3a4b5c6d7e8f" }] }),
  pulse: z.looseObject({}).meta({
    description: "The backend heard from its provider. Resets the idle clock; neither in the file nor on the bus.",
    examples: [{}],
  }),
} as const;

/** Events about long-lived agents, on `agent.event.<cuid2>.<event>`. */
import { z } from "zod";
import { Cuid } from "./channel.ts";
import { AgentId } from "../names/names.ts";

/** Each event with what it means. */
export const agentEvents = {
  created: "it is there now",
  message: "something came into its inbox",
  taken_back: "a message, `item`, was taken out of its inbox before it was said",
  turn_started: "it thinks, in the run `run_id`",
  turn_ended: "that run has ended: `ok`, how many `replies` it sent, `said_nothing` where people hear nothing of it",
  task_started: "it has sent a sub-agent off to work, `task_id`",
  task_ended: "that one has completed, failed, or waits for an answer",
  reset: "its conversation begins anew; what waited, `items`, was dropped",
  compacted: "its conversation goes on from a summary",
  permission_requested: "it has asked the user for a permission, `token`",
  permission_decided: "the user has decided",
} as const;
export type AgentEventName = keyof typeof agentEvents;

const names = Object.keys(agentEvents) as [AgentEventName, ...AgentEventName[]];

export const AgentNews = z
  .looseObject({
    event: z.enum(names).meta({ description: names.map((name) => `\`${name}\`: ${agentEvents[name]}`).join("; ") }),
    ts: z.number().int().meta({ description: "When it happened, in ms." }),
    agent_id: Cuid.meta({ description: "The long-lived agent." }),
    run_id: AgentId.optional().meta({ description: "The run of a turn." }),
  })
  .meta({
    id: "AgentNews",
    title: "Agent event",
    description:
      "An event of a long-lived agent, on `agent.event.<cuid2>.<event>`. News for those who listen: nothing is kept.",
    examples: [
      { event: "turn_started", ts: 1736380800000, agent_id: "tz4a98xxat96iws9zmbrgj3a", run_id: "1736380800000" },
    ],
  });
export type AgentNews = z.infer<typeof AgentNews>;

/** The cases of chaos over long-lived agents: at which failpoint of a conversation, for the how many-th time, who is killed. */
import { agentFailpoints, type Failpoint } from "../../../proc/programs/failpoint.ts";

type AgentPoint = (typeof agentFailpoints)[number];

export const agentVictims = ["agents", "cortex", "mcp-tools", "nats-server", "all"] as const;
export type AgentVictim = (typeof agentVictims)[number];

export type AgentCase = { number: number; point: Failpoint; times: number; victim: AgentVictim };

/** How often a conversation comes to a point: a turn that replies and sends a task off, the task's, and the one that replies. */
const comesTo: Record<AgentPoint, number> = {
  "agent-made": 2,
  "item-taken-in": 3,
  "turn-kept": 3,
  "turn-recorded": 3,
  "turn-word-recorded": 9,
  "reply-stored": 2,
  "turn-reported": 3,
  "items-settled": 3,
  "turn-ended": 3,
  "history-archived": 1,
};

/** All: the agents' service each time that it comes to each point, whoever else once at each. */
export const agentCases: readonly AgentCase[] = agentFailpoints
  .flatMap((point) =>
    agentVictims.flatMap((victim) => {
      const count = victim === "agents" ? comesTo[point] : 1;
      return Array.from({ length: count }, (_, at) => ({ point, times: at + 1, victim }));
    }),
  )
  .map((one, number) => ({ number, ...one }));

/** Dependencies of the service's entrances (messages, tool calls, commands): those of an agent, and what stands above the agents. */
import type { AgentDeps } from "./record/agent-deps.ts";
import type { AgentDirectory } from "./record/directory.ts";
import type { SentReplies } from "./replies/sent-replies.ts";
import type { HeldTurns } from "./tasks/held-turns.ts";
import type { Questions } from "./permissions/questions.ts";
import type { Owners } from "./inbox/owners.ts";
import type { StrangerLimiter } from "./inbox/stranger-limits.ts";
import type { AgentWorkers } from "./workers.ts";

export type ServiceDeps = AgentDeps & {
  directory: AgentDirectory;
  workers: AgentWorkers;
  replies: SentReplies;
  owners: Owners;
  questions: Questions;
  heldTurns: HeldTurns;
  strangers: StrangerLimiter;
};

/** Dependencies of the service's entrances (messages, tool calls, commands): those of an agent, and what stands above the agents. */
import type { AgentDeps } from "./agent-deps.ts";
import type { AgentDirectory } from "./directory.ts";
import type { SentReplies } from "./outgoing.ts";
import type { Owners } from "./owners.ts";
import type { Permissions } from "./permissions.ts";
import type { StrangerLimiter } from "./strangers.ts";
import type { AgentWorkers } from "./workers.ts";

export type ServiceDeps = AgentDeps & {
  directory: AgentDirectory;
  workers: AgentWorkers;
  replies: SentReplies;
  owners: Owners;
  permissions: Permissions;
  strangers: StrangerLimiter;
};

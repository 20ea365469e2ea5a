/** Parts of the service that stand above the agents: its entrances (messages, tool calls, commands) take what they need of them, beside `AgentDeps`. */
import type { AgentDirectory } from "./record/directory.ts";
import type { SentReplies } from "./replies/sent-replies.ts";
import type { HeldTurns } from "./tasks/held-turns.ts";
import type { Questions } from "./permissions/questions.ts";
import type { KnownRooms } from "./inbox/known-rooms.ts";
import type { Owners } from "./inbox/owners.ts";
import type { StrangerLimiter } from "./inbox/stranger-limits.ts";
import type { AgentWorkers } from "./workers.ts";

export type ServiceParts = {
  directory: AgentDirectory;
  workers: AgentWorkers;
  replies: SentReplies;
  owners: Owners;
  rooms: KnownRooms;
  questions: Questions;
  heldTurns: HeldTurns;
  strangers: StrangerLimiter;
};

/**
 * The events of a workspace, for those who listen: each stands in the table of events from the change that it tells of.
 */
import { z } from "zod";
import { Agent } from "./agent.ts";
import { Approval } from "./approval.ts";
import { Binding, Identities } from "./binding.ts";
import { Id } from "./fields.ts";
import { Member, Workspace } from "./people.ts";
import { Fork, Message, Thread } from "./thread.ts";
import { Task } from "./task.ts";

/** Agents in events are without their prompts: those are read where they are asked for. */
export const liveEvents = {
  "message.created": z.object({ message: Message }),
  "message.updated": z.object({ message: Message }),
  "task.status_changed": z.object({ task: Task }),
  "fork.created": z.object({ fork: Fork }),
  "fork.draft": z.object({ fork: Fork }),
  "fork.resolved": z.object({ fork: Fork, message: Message }),
  "fork.status_changed": z.object({ fork: Fork }),
  "approval.requested": z.object({ approval: Approval }),
  "approval.decided": z.object({ approval: Approval }),
  "agent.updated": z.object({ agent: Agent.omit({ system_prompt: true }) }),
  "agent.removed": z.object({ agent: Agent.omit({ system_prompt: true }) }),
  "thread.updated": z.object({ thread: Thread }),
  "workspace.updated": z.object({ workspace: Workspace }),
  "member.updated": z.object({ member: Member }),
  "member.removed": z.object({ member: Member }),
  "identity.updated": Identities.extend({ member_id: Id }),
  "binding.updated": z.object({ binding: Binding }),
  "binding.removed": z.object({ binding: Binding }),
} as const;

export type LiveEvents = { [Name in keyof typeof liveEvents]: z.infer<(typeof liveEvents)[Name]> };

/** `id`: its number within the workspace. */
export type WorkspaceEvent = {
  [Name in keyof LiveEvents]: { id: number; event: Name; data: LiveEvents[Name] };
}[keyof LiveEvents];

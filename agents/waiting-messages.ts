/**
 * The choices of a user about a message that waits for its turn: take it back, or have it told to the turn that goes
 * on.
 */
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import { applyMode } from "./apply-mode.ts";
import { modeOf } from "./inbox/next-turn.ts";
import type { AgentRecord } from "./record/agent-record.ts";

/**
 * Takes a message out of the inbox before it is said. Resolves, when that lasts, with whether it is: not where the turn that goes
 * on answers it, or was told it.
 */
export async function takeBack(agent: AgentRecord, id: string): Promise<boolean> {
  const item = waitingMessage(agent, id);
  if (!item || (agent.state.turn && modeOf(agent, item) === "steer")) return false;
  await agent.inbox.settleItems([id]);
  agent.deps.publishEvent(agent.id, "taken_back", { item: id });
  return true;
}

/** Tells the turn that goes on a message that waits for its end. Resolves, when that lasts, with whether it did wait. */
export async function sayNow(agent: AgentRecord, id: string): Promise<boolean> {
  const item = waitingMessage(agent, id);
  if (!item) return false;
  if (modeOf(agent, item) === "steer") return true;
  const told: InboxItem = { ...item, mode: "steer" };
  if (!(await agent.inbox.change(told))) return false;
  agent.deps.publishEvent(agent.id, "message", { type: item.type, item: id });
  await applyMode(agent, told);
  return true;
}

/** A user's message that no turn answers yet. */
export function waitingMessage({ inbox, state }: AgentRecord, id: string): InboxItem | undefined {
  if (state.turn?.items.includes(id)) return undefined;
  return inbox.waiting.find((item) => item.id === id && item.type === "user");
}

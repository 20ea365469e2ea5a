/** The next turn of an agent, by its inbox and the settings. */
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { QueueMode } from "../../protocol/agents/agents-settings.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { type NextTurn, nextTurn } from "./queue.ts";

/** From docs/contract.md. */
const usualJoinWindowMs = 300;

export function nextTurnOf(agent: AgentRecord, now: number): NextTurn {
  return nextTurn(agent.inbox.waiting, {
    now,
    joinWindowMs: agent.deps.settings().agents?.join_window_ms ?? usualJoinWindowMs,
    modeOf: (item) => modeOf(agent, item),
  });
}

/** How an item is treated while a turn is running: as its sender asks, or as the settings say for its channel. */
export function modeOf({ deps }: AgentRecord, item: InboxItem): QueueMode {
  return item.mode ?? deps.settings().agents?.queue?.[item.channel?.type ?? ""] ?? "followup";
}

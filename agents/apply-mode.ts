/** How a message changes the turn that is running when it comes. */
import { messageBytes, mostMessageBytes } from "../bus/events/message-size.ts";
import { publishTurnInput } from "../bus/runs/control.ts";
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import { promptOf, recordsOf } from "./inbox/format-messages.ts";
import { modeOf } from "./inbox/next-turn.ts";
import { refsOf } from "./inbox/take-files.ts";
import type { AgentRecord } from "./record/agent-record.ts";
import { cancelTurn } from "./record/cancel-turn.ts";

/** Interrupts or steers the running turn, where the mode of an item that came says so. */
export async function applyMode(agent: AgentRecord, item: InboxItem): Promise<void> {
  const { deps, state } = agent;
  const { turn } = state;
  if (!turn || item.type !== "user") return;
  // A turn that has begun since the item came may be its own.
  if (turn.items.includes(item.id)) return;
  const mode = modeOf(agent, item);
  if (mode === "interrupt") await cancelTurn(agent);
  if (mode !== "steer") return;
  const attachments = refsOf([item]);
  const input = { text: promptOf(recordsOf([item])), id: item.id, ...(attachments.length > 0 && { attachments }) };
  // What is too long for an input has a turn of its own.
  if (messageBytes(input) <= mostMessageBytes(deps.bus)) publishTurnInput(deps.bus, turn.run_id, input);
}

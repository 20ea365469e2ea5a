/** The end of a turn that failed within cortex each time: what it has cost counts, and its user is told. */
import { messageOf } from "../../files/errors/error-message.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import type { AgentState, AgentTurn, InboxItem } from "../../protocol/agents/agent-files.ts";
import { addedSpent, nothingSpent, type Spent, spentBy } from "../../protocol/runs/spent.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { usageWith } from "../record/usage-with.ts";
import { sendFailureNotice } from "../replies/turn-replies.ts";
import { reportTask } from "../tasks/task-report.ts";
import { errorEvent, turnFor } from "./turn.ts";
import { isOfConversation } from "./turn-progress.ts";

/** Ends the turn, or the one that these items were about to begin. Its items are in quarantine. */
export async function abandonTurn(agent: AgentRecord, items: readonly InboxItem[], error: unknown): Promise<void> {
  const { deps, inbox, state } = agent;
  const turn = state.turn ?? turnFor(deps.nextRunId(), items);
  const why = messageOf(error);
  const last = errorEvent(turn, "internal", `it failed within cortex, and was put away (cortex quarantine): ${why}`);
  await inbox.settleItems(turn.items);
  if (state.turn) await agent.update({ turn: null, ...(await usageOf(agent, state.turn)) });
  // A failure here is logged and no more: what sends the notice may be what has failed.
  if (agent.descriptor.kind === "subagent") await reportTask(agent, turn, last, false).catch(problem);
  else await sendFailureNotice(agent, turn, last).catch(problem);
  deps.publishEvent(agent.id, "turn_ended", {
    run_id: turn.run_id,
    items: turn.items,
    ok: false,
    error: textField(last, "error"),
    reason: last["reason"],
  });

  function problem(err: unknown): void {
    deps.log.error({ agent: agent.id, err }, "nobody could be told that a turn was put away");
  }
}

/** The agent's usage with that of the turn's run, so far as its file tells it. */
async function usageOf(agent: AgentRecord, turn: AgentTurn): Promise<Partial<AgentState>> {
  const { deps } = agent;
  const spent = await spentIn(deps.journal, turn.run_id).catch((err: unknown) => {
    deps.log.warn({ agent: agent.id, run: turn.run_id, err }, "what a turn that was put away has cost can't be read");
    return nothingSpent;
  });
  return usageWith(agent, spent, isOfConversation(agent, turn));
}

async function spentIn(journal: string, runId: string): Promise<Spent> {
  let spent = nothingSpent;
  for await (const event of new RunReader(journal, runId).events())
    spent = addedSpent(spent, spentBy(event, spent) ?? nothingSpent);
  return spent;
}

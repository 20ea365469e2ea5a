/**
 * Waiting for tasks within a turn: until all of them have ended, or the first. Their results are in the answer, so their reports
 * start no turn; a silent note stays, in case the turn ends before its model has read the answer.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { endId, pendingInputOf, questionId } from "./sub-tasks.ts";
import { lastTextOf, taskRow } from "./tasks.ts";

/** A call waits for so long, and is made again: a caller and a service that die meanwhile are no longer missed. In ms. */
const waitMs = 2000;
const lookEveryMs = 50;

/** Most characters of all results in an answer; a longer one is read with task_status. */
const longestResults = 24_000;

export async function waitForTasks(
  agent: AgentRecord,
  tasks: readonly AgentRecord[],
  until: "all" | "first",
): Promise<Record<string, unknown>> {
  for (const end = performance.now() + waitMs; ; await delay(lookEveryMs)) {
    const ended = tasks.filter(hasEnded);
    const isDone = until === "first" ? ended.length > 0 : ended.length === tasks.length;
    const interrupted = isDone ? null : interruptionOf(agent);
    if (!isDone && interrupted === null && performance.now() < end) continue;
    const most = Math.floor(longestResults / Math.max(1, ended.length));
    // Only an answer that the model gets takes the place of the reports.
    const results = new Map(
      isDone ? await Promise.all(ended.map(async (task) => [task, await takeResult(agent, task, most)] as const)) : [],
    );
    return {
      done: isDone,
      ...(interrupted !== null && { interrupted }),
      tasks: tasks.map((task) => ({ ...taskRow(task), ...results.get(task) })),
    };
  }
}

/** Whether a task does nothing more by itself: it has completed, has failed, or asks its agent something. */
function hasEnded(task: AgentRecord): boolean {
  const { lifecycle, asked, task: how } = task.state;
  if (task.hasWork || pendingInputOf(task)) return false;
  return lifecycle === "ended" || (how?.state === "waiting" && asked.every(({ decision }) => decision !== undefined));
}

/** Says why an agent should no longer wait; null: it may. */
function interruptionOf({ state: { turn }, inbox }: AgentRecord): string | null {
  if (!turn || turn.is_unwanted) return "the turn was stopped";
  const isNew = ({ id, type }: InboxItem) => type === "user" && !turn.items.includes(id);
  return inbox.waiting.some(isNew) ? "somebody has written to you: end this turn to read it" : null;
}

/** The result of a task, in the place of its report. */
async function takeResult(agent: AgentRecord, task: AgentRecord, most: number): Promise<{ result?: string }> {
  const { turn } = agent.state;
  const begins = [endId(task.id, ""), questionId(task.id, "")];
  const reports = agent.inbox.waiting.filter(
    ({ id, silent }) => !silent && !turn?.items.includes(id) && begins.some((begin) => id.startsWith(begin)),
  );
  for (const { id, ts, origin, text } of reports)
    await agent.post({
      id: `waited-${id}`,
      ts,
      type: "system",
      silent: true,
      ...(origin !== undefined && { origin }),
      text: `${text.split("\n")[0] ?? ""}: task_wait has told the result; task_status("${task.id}") tells it again`,
    });
  await agent.inbox.settle(reports.map(({ id }) => id));
  const result = reports.at(-1)?.text ?? lastTextOf(task).said;
  if (result === undefined) return {};
  return { result: result.length <= most ? result : `${result.slice(0, most)} … [cut: task_status has more of it]` };
}

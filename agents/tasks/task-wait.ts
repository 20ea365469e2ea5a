/**
 * Waiting for tasks within a turn: until all of them have ended, or the first. Their results are in the answer, so their reports
 * start no turn; a silent note stays, in case the turn ends before its model has read the answer.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import type { HeldTurns } from "./held-turns.ts";
import { awaitsPermission, endId, pendingInputOf, questionId } from "./sub-tasks.ts";
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
  heldTurns: HeldTurns,
): Promise<Record<string, unknown>> {
  for (const end = performance.now() + waitMs; ; await delay(lookEveryMs)) {
    const ended = tasks.filter(hasEnded);
    const isDone = until === "first" ? ended.length > 0 : ended.length === tasks.length;
    const interrupted = isDone ? null : interruptionOf(agent);
    const isOver = isDone || interrupted !== null;
    const holding = isOver ? [] : holdingUp(tasks, until, heldTurns);
    const run = agent.state.turn?.run_id;
    if (run !== undefined) await heldTurns.hold(run, holding);
    if (!isOver && performance.now() < end) continue;
    const most = Math.floor(longestResults / Math.max(1, ended.length));
    // Only an answer that the model gets takes the place of the reports.
    const results = new Map(
      isDone ? await Promise.all(ended.map(async (task) => [task, await takeResult(agent, task, most)] as const)) : [],
    );
    return {
      done: isDone,
      ...(interrupted !== null && { interrupted }),
      ...(holding.length > 0 && { waits_for_user: true }),
      tasks: tasks.map((task) => ({ ...taskRow(task), ...results.get(task) })),
    };
  }
}

/** The questions to a user that keep an agent from going on with its tasks. */
function holdingUp(tasks: readonly AgentRecord[], until: "all" | "first", heldTurns: HeldTurns): KeptQuestion[] {
  const questions = tasks.filter((task) => !hasEnded(task)).map((task) => openQuestions(task, heldTurns));
  // Of several one may end while another waits.
  return until === "first" && questions.some(({ length }) => length === 0) ? [] : questions.flat();
}

/** A task's questions, and those of its own tasks where it only waits for these. */
function openQuestions(task: AgentRecord, heldTurns: HeldTurns): KeptQuestion[] {
  const { deps, id, state, tasks } = task;
  const isWaiting = state.turn === null || heldTurns.isHeld(state.turn.run_id);
  const ofTasks = isWaiting ? tasks.flatMap((one) => openQuestions(one, heldTurns)) : [];
  return [...deps.questionsOf(id).filter(({ decision }) => decision === undefined), ...ofTasks];
}

/** Whether a task does nothing more by itself: it has completed, has failed, or asks its agent something. */
function hasEnded(task: AgentRecord): boolean {
  const { lifecycle, task: how } = task.state;
  if (task.hasWork || pendingInputOf(task)) return false;
  return lifecycle === "ended" || (how?.state === "waiting" && !awaitsPermission(task));
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
  await agent.inbox.settleItems(reports.map(({ id }) => id));
  const result = reports.at(-1)?.text ?? lastTextOf(task).said;
  if (result === undefined) return {};
  return { result: result.length <= most ? result : `${result.slice(0, most)} … [cut: task_status has more of it]` };
}

/** What becomes of a task is told to whoever has sent it off: once for each of its turns, however that ended. */
import type { Turn } from "../protocol/agent-files.ts";
import { type AgentEvent, textField } from "../protocol/event.ts";
import type { Agent } from "./agent.ts";

/** A result that is longer is read with task_replay. In characters. */
const longestResult = 32_000;

export async function reportTask(agent: Agent, turn: Turn, last: AgentEvent, wasStopped: boolean): Promise<void> {
  const { host, state, descriptor } = agent;
  const { task } = state;
  const { parent } = descriptor;
  if (!task || parent === undefined) return;
  const isDone = last.event === "finish";
  const outcome = !isDone ? "failed" : task.needs_answer ? "waiting" : "completed";
  const said = isDone ? textField(last, "result") : wasStopped ? "it was stopped" : textField(last, "error");
  const heading =
    outcome === "waiting"
      ? `[Task ${agent.id} needs clarification] ${task.description}\nresume_task("${agent.id}", answer) lets it go on.`
      : `[Task ${agent.id} ${outcome}] ${task.description}`;
  await host.post(parent, {
    // One notice for each turn, whoever carried it to its end.
    id: `task-${agent.id}-${turn.run_id}`,
    ts: Date.now(),
    type: "system",
    origin: `task:${agent.id}`,
    text: `${heading}\n\n${shortened(said)}`,
    ...(task.channel && { channel: task.channel }),
  });
  await agent.update({ task: { ...task, state: outcome, needs_answer: false } });
  host.tell(parent, "task_ended", { task_id: agent.id, outcome });
}

function shortened(text: string): string {
  return text.length <= longestResult ? text : `${text.slice(0, longestResult)} …\n[cut: task_replay tells all of it]`;
}

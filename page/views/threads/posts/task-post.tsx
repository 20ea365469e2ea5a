/** An agent that is about to answer, or was stopped before it said a word. */
import { Button } from "../../../parts/buttons/button.tsx";
import { Mark } from "../../../parts/badges/mark.tsx";
import { cancelTask } from "../../../stores/workspace/thread-actions.ts";
import type { Task } from "../../../stores/workspace/thread-store.ts";
import { clockOf } from "../../../words/time/times.ts";
import { Face } from "../../../parts/badges/face.tsx";
import { AskAgain, AtWork } from "./post.tsx";
import { agentFace, agentName, type Look } from "../look/thread-look.ts";

export function TaskPost({ task, look }: { task: Task; look: Look }) {
  const name = agentName(look.team, task.agent_id);
  const isRunning = task.status === "running";
  const isAlive = isRunning || task.status === "queued";
  const cancel = async () => look.thread.takeTask(await cancelTask(task.id));
  return (
    <article class="post agent" data-row data-id={task.id} tabIndex={0} aria-busy={isAlive}>
      <Face name={name} of={agentFace(look.team, task.agent_id, name)} />
      <div>
        <p class="by">
          <b>
            <bdi>{name}</bdi>
          </b>
          <span class="is-agent">agent</span>
          {isRunning && <AtWork task={task} />}
          {task.status === "queued" && <Mark kind="waits" label="Waits" />}
        </p>
        <p class="tx ink-3" role={isAlive ? "status" : undefined}>
          {wordsOf(task, look)}
        </p>
        {!isAlive && (
          <p class="did">
            <AskAgain task={task} look={look} />
          </p>
        )}
      </div>
      {isAlive && (
        <p class="acts is-kept">
          <Button kind="quiet" keyName="X" busyText="Cancelling" onPress={cancel}>
            Cancel
          </Button>
        </p>
      )}
    </article>
  );
}

function wordsOf(task: Task, { thread }: Look): string {
  if (task.status === "cancelled") return "Cancelled before it answered.";
  if (task.waits_until !== null) return `Its provider lets it go on at ${clockOf(Date.parse(task.waits_until))}.`;
  if (task.status === "queued")
    return task.after_task_id === null ? "waits for its turn" : "waits for the answer before its own";
  const isAsking = thread.approvals.value.some(({ task_id, status }) => task_id === task.id && status === "open");
  if (isAsking) return "waits for a decision";
  return thread.thinking.value.has(task.id) ? "thinks about it" : "is at it";
}

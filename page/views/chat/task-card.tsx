/** A task that an agent has sent off, in its conversation: how it is, and what it asks. */
import { Decide } from "../../parts/requests/decide.tsx";
import { WholeArguments } from "../../parts/requests/whole-arguments.tsx";
import { Diff } from "../../parts/content/diff.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { Task } from "../../stores/agents/conversation-store.ts";
import type { Decision } from "../../stores/agents/talk-decisions.ts";
import { spanOf, waitOf } from "../../words/amounts/durations.ts";
import { changeOf, mainArgument, questionOf } from "../../words/runs/questions.ts";
import type { MarkKind } from "../../words/runs/run-states.ts";
import { visible } from "../../words/text/visible-text.ts";
import "./task-card.css";

const states: Record<string, { mark: MarkKind; word: string }> = {
  running: { mark: "working", word: "Working" },
  waiting: { mark: "waits", word: "Waits for an answer" },
  completed: { mark: "done", word: "Done" },
  failed: { mark: "failed", word: "Failed" },
};

export function TaskCard({ task, decisions }: { task: Task; decisions: readonly Decision[] }) {
  const { mark, word } = states[task.status] ?? { mark: "waits", word: task.status };
  const open = decisions.filter(({ status }) => status === "open");
  const isAsking = open.length > 0;
  const run = typeof task.run_id === "string" ? task.run_id : task.last_run;
  const until = task.status === "running" ? now.value : Number(task.updated ?? task.created);
  const title = <b>{visible(task.description)}</b>;
  return (
    <div class={isAsking ? "task you" : "task"} data-key={task.taskId}>
      <span class="by" />
      <div class="tx">
        <p class="tl">
          <Mark kind={isAsking ? "you" : mark} label={isAsking ? "Needs you" : word} />
          {typeof run === "string" ? (
            <a class="plain" href={`/runs/${run}`}>
              {title}
            </a>
          ) : (
            title
          )}
          <span class="gap" />
          <span class="ink-3 small">{word}</span>
          <span class="num">{spanOf(until - task.created)}</span>
        </p>
        {decisions.map((decision) => (
          <Asked key={decision.id} decision={decision} />
        ))}
      </div>
    </div>
  );
}

/** The question of the agent itself. */
export function Question({ decision }: { decision: Decision }) {
  const isOpen = decision.status === "open";
  return (
    <div class={isOpen ? "task you" : "task"} data-key={decision.id}>
      <span class="by" />
      <div class="tx">
        <Asked decision={decision} age={waitOf(now.value - Date.parse(decision.asked_at))} />
      </div>
    </div>
  );
}

function Asked({ decision, age }: { decision: Decision; age?: string }) {
  const change = changeOf(decision.args);
  const where = decision.path ?? change?.path ?? mainArgument(decision.args);
  return (
    <div class="asked" data-row tabIndex={-1} role="group" aria-label={questionOf(decision)}>
      <p class="ask">
        {questionOf(decision)} <code>{visible(where.slice(0, 2000))}</code>
        {age !== undefined && <span class="num">{age}</span>}
      </p>
      {change === null ? (
        <p class="ink-2">{visible(decision.why)}</p>
      ) : (
        <Diff before={change.before} after={change.after} />
      )}
      {decision.status === "open" && <WholeArguments args={decision.args} />}
      <Decide decision={decision} />
    </div>
  );
}

/** A message: who said it and what, its files, the forks that begin at it, and what can be done about it. */
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { Button } from "../../../parts/buttons/button.tsx";
import { Icon } from "../../../parts/buttons/icon.tsx";
import { Mark } from "../../../parts/badges/mark.tsx";
import { now } from "../../../stores/browser/clock.ts";
import type { Message, PlaceStore } from "../../../stores/workspace/place-store.ts";
import { askAgain, cancelTask, createFork } from "../../../stores/workspace/thread-actions.ts";
import type { Task } from "../../../stores/workspace/thread-store.ts";
import { spanOf, tookOf } from "../../../words/amounts/durations.ts";
import { rowMoney } from "../../../words/amounts/money.ts";
import { ageOf, whenOf } from "../../../words/time/times.ts";
import { visible } from "../../../words/text/visible-text.ts";
import { WithCaret } from "../../../parts/content/with-caret.tsx";
import { Face } from "../../../parts/badges/face.tsx";
import { Files } from "./files.tsx";
import { ForkLines } from "./fork-lines.tsx";
import { MessageText } from "./message-text.tsx";
import { agentName, authorFace, type Look, type PostActions } from "../look/thread-look.ts";

type PostProps = { message: Message; look: Look; place: PlaceStore; known: ReadonlySet<string>; actions: PostActions };

export const Post = memo(function Post({ message, look, place, known, actions }: PostProps) {
  const { author_type, metadata } = message;
  if (metadata.kind === "resolution") return <Resolution {...{ message, look, known, actions }} />;
  if (author_type === "system") return <SystemPost {...{ message, look, known, actions }} />;
  const isAgent = author_type === "agent";
  const task = metadata.taskId === undefined ? undefined : look.thread.tasks.value.get(metadata.taskId);
  const isGrowing = isAgent && message.text === "" && task?.status === "running";
  const name = visible(message.author_name);
  return (
    <article class={isAgent ? "post agent" : "post"} data-row data-id={message.id} tabIndex={0} aria-busy={isGrowing}>
      <Face name={name} of={authorFace(look.team, message)} />
      <div>
        <p class="by">
          <b>
            <bdi>{name}</bdi>
          </b>
          {isAgent && <span class="is-agent">{agentWords(message, task, look, place)}</span>}
          {metadata.guest !== undefined && (
            <span class="is-agent">from {visible(metadata.guest.split(":", 1)[0] ?? "")}</span>
          )}
          {isGrowing ? <AtWork task={task} /> : <When at={message.created_at} />}
        </p>
        <AnswerTo message={message} place={place} />
        {isGrowing ? (
          <GrowingText id={message.id} place={place} known={known} />
        ) : (
          message.text !== "" && <MessageText text={message.text} known={known} />
        )}
        {isAgent && !isGrowing && message.text === "" && <p class="tx ink-3">No words came of it.</p>}
        <Files workspace={look.team.id} files={message.parts} />
        <Did message={message} task={task} onAnswer={() => actions.answer(message)} />
        <ForkLines message={message} look={look} actions={actions} />
      </div>
      <p class="acts">
        {isGrowing ? (
          <Button kind="quiet" keyName="X" busyText="Stopping" onPress={() => cancelTask(task.id)}>
            Stop
          </Button>
        ) : (
          <>
            <Button kind="quiet" keyName="R" label={`Answer ${name}`} onPress={() => actions.answer(message)}>
              Answer
            </Button>
            {actions.fork && (
              <Button kind="quiet" keyName="F" label="Begin a fork here" onPress={() => actions.fork?.(message)}>
                Fork
              </Button>
            )}
          </>
        )}
      </p>
    </article>
  );
});

/** Names whom it answers: `agent, for Nora`, `agent, after Gauge check`. */
function agentWords({ parent_id }: Message, task: Task | undefined, look: Look, { messages }: PlaceStore): string {
  const before = task?.after_task_id ? look.thread.tasks.value.get(task.after_task_id) : undefined;
  if (before) return `agent, after ${agentName(look.team, before.agent_id)}`;
  const asked = messages.value?.find(({ id }) => id === (task?.trigger_message_id ?? parent_id));
  return asked === undefined ? "agent" : `agent, for ${visible(asked.author_name)}`;
}

function AnswerTo({ message: { parent_id, author_type }, place }: { message: Message; place: PlaceStore }) {
  const answered =
    parent_id === null || author_type !== "human" ? null : place.messages.value?.find(({ id }) => id === parent_id);
  if (!answered) return null;
  return (
    <p class="answers cut">
      to <bdi>{visible(answered.author_name)}</bdi>: <bdi>{visible(answered.text.slice(0, 120))}</bdi>
    </p>
  );
}

export function When({ at }: { at: string }) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={whenOf(ms, minuteNow())}>
      {ageOf(ms, minuteNow())}
    </time>
  );
}

/** The time to the minute: what is told so isn't made anew each second. */
const minuteNow = () => Math.floor(now.peek() / 60_000) * 60_000;

export function AtWork({ task }: { task: Task }) {
  return (
    <>
      <Mark kind="working" label="Working" />
      <span class="t-working">{spanOf(now.value - Date.parse(task.created_at))}</span>
    </>
  );
}

/** The text that has come so far. Its beginning may not have been heard. */
function GrowingText({ id, place, known }: { id: string; place: PlaceStore; known: ReadonlySet<string> }) {
  const { text, isWhole } = place.growing(id).value;
  return (
    <WithCaret>
      <MessageText text={isWhole ? text : `… ${text}`} known={known} />
    </WithCaret>
  );
}

/** The time that it took, and what was left open. */
function Did({ message, task, onAnswer }: { message: Message; task: Task | undefined; onAnswer: () => void }) {
  const { isCutOff, isIncomplete } = message.metadata;
  const took = task?.completed_at && [
    tookOf(Date.parse(task.completed_at) - Date.parse(task.created_at)),
    rowMoney(task.cost_usd),
  ];
  if (!took && !isCutOff && !isIncomplete) return null;
  const words = took ? took.filter(Boolean).join(", ") : "";
  return (
    <p class="did">
      {task?.run_id ? <a href={`/runs/${task.run_id}`}>{words || "its run"}</a> : words}
      {isIncomplete && <span class="t-failed">broke off</span>}
      {isCutOff && <span>reached its limit of length</span>}
      {isCutOff && (
        <button type="button" class="btn quiet" onClick={onAnswer}>
          Have it go on
        </button>
      )}
    </p>
  );
}

type PartProps = { message: Message; look: Look; known: ReadonlySet<string>; actions: PostActions };

/** The resolution of a fork. */
function Resolution({ message, look, known, actions }: PartProps) {
  const fork = look.thread.forks.value.find(({ id }) => id === message.metadata.forkId);
  return (
    <article class="post resolved" data-row data-id={message.id} tabIndex={0}>
      <span class="ico">
        <Icon name="fork" />
      </span>
      <div>
        <p class="by">
          <b>Resolution</b>
          {fork && <bdi class="ink-3 cut">of “{visible(fork.description)}”</bdi>}
        </p>
        <MessageText text={message.text} known={known} />
        <p class="did">
          {fork && (
            <button type="button" class="plain-link" onClick={() => actions.open(fork)}>
              The fork
            </button>
          )}
          <span>
            posted by <bdi>{visible(message.author_name)}</bdi>, {whenOf(Date.parse(message.created_at), now.peek())}
          </span>
          {message.metadata.isReopened && <span>the fork was opened again since</span>}
        </p>
      </div>
    </article>
  );
}

/** The message of the workspace itself: a failure with a way to ask again, a suggestion, a summary. */
function SystemPost({ message, look, known, actions }: PartProps) {
  const { kind, taskId, forkDescription } = message.metadata;
  const task = taskId === undefined ? undefined : look.thread.tasks.value.get(taskId);
  const suggest = async () => {
    const fork = await createFork(look.thread.id, message.id, forkDescription ?? "");
    look.thread.takeFork(fork);
    actions.open(fork);
  };
  const isFailure = kind === "error";
  return (
    <article class={isFailure ? "post failed" : "post system"} data-row data-id={message.id} tabIndex={0}>
      <span class="ico">
        <Mark
          kind={isFailure ? "failed" : kind === "limit" ? "waits" : "done"}
          label={kindWords[kind ?? ""] ?? "Note"}
        />
      </span>
      <div>
        <p class="by">
          <b>{kindWords[kind ?? ""] ?? visible(message.author_name)}</b>
          <When at={message.created_at} />
        </p>
        <MessageText text={message.text} known={known} />
        {isFailure && task?.error && <p class="small ink-3 why">{visible(task.error)}</p>}
        <p class="did">
          {isFailure && task && <AskAgain task={task} look={look} />}
          {task?.run_id && <a href={`/runs/${task.run_id}`}>its run</a>}
          {kind === "suggestion" && actions.fork && forkDescription !== undefined && (
            <Button busyText="Beginning" onPress={suggest}>
              Begin this fork
            </Button>
          )}
        </p>
        <ForkLines message={message} look={look} actions={actions} />
      </div>
    </article>
  );
}

const kindWords: Record<string, string | undefined> = {
  error: "No answer",
  limit: "Waits",
  summary: "Summary",
  suggestion: "A fork?",
};

/** Asked once: what was asked again has a task of its own. */
export function AskAgain({ task, look }: { task: Task; look: Look }): ComponentChildren {
  const isAsked = [...look.thread.tasks.value.values()].some(
    ({ id, agent_id, trigger_message_id }) =>
      id > task.id && agent_id === task.agent_id && trigger_message_id === task.trigger_message_id,
  );
  if (task.status !== "failed" && task.status !== "cancelled") return null;
  if (isAsked) return <span>asked again since</span>;
  const again = async () => look.thread.takeTask(await askAgain(task.id));
  return (
    <Button keyName="R" busyText="Asking" onPress={again}>
      Ask again
    </Button>
  );
}

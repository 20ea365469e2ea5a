/** The conversation, oldest first; what is said now, and what waits to be. It follows only while its end is in view. */
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { Skeleton } from "../../parts/loading/skeleton.tsx";
import type { ConversationStore } from "../../stores/agents/conversation-store.ts";
import { questionsOfTasks } from "../../talk/questions-of-tasks.ts";
import { talkEntries } from "../../talk/talk-entries.ts";
import type { TalkEntry } from "../../talk/talk-entry.ts";
import { Entry } from "./entry.tsx";
import { FailedTurn } from "./failed-turn.tsx";
import { LiveTurn } from "./live-turn.tsx";
import { Question, TaskCard } from "./task-card.tsx";
import { useKeptScroll } from "./kept-scroll.ts";
import { WaitingMessage } from "./waiting-message.tsx";
import "./talk-log.css";

/** The kinds that are counted while the end is out of view. */
const counted = new Set<TalkEntry["kind"]>(["mine", "answer", "failed"]);

export function TalkLog({ store, name }: { store: ConversationStore; name: string }) {
  const records = store.records.value;
  const tasks = store.tasks.value;
  const turn = store.turn.value;
  const run = turn?.run ?? null;
  const isTextReply = store.agent.value?.text_is_reply === true;
  const [failures, hasOlder] = [store.failures.value, store.hasOlder.value];
  const entries = useMemo(
    () => talkEntries(records ?? [], { run, isTextReply, tasks, failures, hasOlder }),
    [records, run, isTextReply, tasks, failures, hasOlder],
  );
  const isFree = turn === null && store.waiting.value.length === 0;
  const log = useRef<HTMLDivElement>(null);
  const olderProblem = useSignal<unknown>(null);
  const isReadingOlder = useRef(false);
  const readOlder = async () => {
    if (isReadingOlder.current || !store.hasOlder.value) return;
    isReadingOlder.current = true;
    olderProblem.value = null;
    try {
      await store.readOlder();
    } catch (error) {
      olderProblem.value = error;
    }
    isReadingOlder.current = false;
  };
  const scroll = useKeptScroll(log, `chat ${store.id}`, {
    isReady: records !== null,
    keys: entries.filter(({ kind }) => counted.has(kind)).map(({ key }) => key),
    readOlder,
    hasOlder: store.hasOlder.value,
  });
  if (records === null) return <div class="log">{store.problem.value === null && <Skeleton rows={6} lines={2} />}</div>;
  const taskOf = new Map(tasks.map((task) => [task.taskId, task]));
  const questions = questionsOfTasks(tasks, store.decisions.value);
  return (
    <div class="log-frame">
      <div class="log" ref={log} tabIndex={0} role="region" aria-label={`What was said with ${name}`}>
        <div class="log-in">
          {store.hasOlder.value && olderProblem.value === null && (
            <p class="log-older">
              <Button kind="quiet" busyText="Reading" onPress={readOlder}>
                Earlier
              </Button>
            </p>
          )}
          <Problem error={olderProblem.value} onRetry={readOlder} />
          {entries.length === 0 && turn === null && store.waiting.value.length === 0 && (
            <p class="ink-3 log-none">Nothing was said yet.</p>
          )}
          {entries.map((entry) => {
            if (entry.kind === "failed")
              return <FailedTurn key={entry.key} entry={entry} name={name} isFree={isFree} store={store} />;
            const task = entry.kind === "task" ? taskOf.get(entry.key) : undefined;
            if (task === undefined) return <Entry key={entry.key} entry={entry} name={name} />;
            return <TaskCard key={entry.key} task={task} decisions={questions.ofTask.get(task.taskId) ?? []} />;
          })}
          {questions.others.map((decision) => (
            <Question key={decision.id} decision={decision} />
          ))}
          {turn !== null && <LiveTurn turn={turn} name={name} isTextReply={isTextReply} />}
          {store.waiting.value.map((item) => (
            <WaitingMessage key={item.id} item={item} name={name} isWorking={turn !== null} store={store} />
          ))}
        </div>
      </div>
      {!scroll.isAtEnd.value && (
        <button type="button" class="btn log-new" onClick={scroll.toEnd}>
          {scroll.behind.value === 0 ? "To the end" : `${scroll.behind.value} new`}
        </button>
      )}
    </div>
  );
}

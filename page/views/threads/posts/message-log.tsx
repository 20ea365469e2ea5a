/** The messages of a thread or a fork, with what agents do there now. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../../parts/buttons/button.tsx";
import { Loading } from "../../../parts/loading/loading.tsx";
import type { Message, PlaceStore } from "../../../stores/workspace/place-store.ts";
import type { Approval, Task } from "../../../stores/workspace/thread-store.ts";
import { ApprovalPost } from "./approval-post.tsx";
import { Post } from "./post.tsx";
import { TaskPost } from "./task-post.tsx";
import { knownSlugs, type Look, type PostActions } from "../look/thread-look.ts";
import { useLogScroll } from "./use-log-scroll.ts";
import "./message-log.css";

type LogProps = {
  look: Look;
  place: PlaceStore;
  actions: PostActions;
  /** Above all of it, where it begins. */
  first?: ComponentChildren;
  /** Where nothing was said yet. */
  empty: ComponentChildren;
};

type Entry = { id: string; at: string } & (
  | { kind: "message"; message: Message }
  | { kind: "task"; task: Task }
  | { kind: "approval"; approval: Approval }
);

export function MessageLog({ look, place, actions, first, empty }: LogProps) {
  const log = useRef<HTMLDivElement>(null);
  const { value: messages } = place.messages;
  const entries = entriesOf(look, place);
  const { threadId, forkId } = place.place;
  const scroll = useLogScroll(
    log,
    forkId ?? threadId,
    entries.map(({ id }) => id),
  );
  const slugs = knownSlugs(look.team);
  const known = useMemo(() => new Set(slugs.split(" ")), [slugs]);
  const isAtEnd = scroll.isAtEnd.value;
  useEffect(() => {
    // What stands at the end of what is in view was seen, and all before it.
    const see = () => {
      if (isAtEnd && messages !== null && !document.hidden) look.unread.see(messages);
    };
    see();
    document.addEventListener("visibilitychange", see);
    return () => document.removeEventListener("visibilitychange", see);
  }, [isAtEnd, messages, look.unread.counts.value]);
  return (
    <div class="log-frame">
      <div class="log" ref={log}>
        <div class="log-inner" aria-label="Messages" role="log" aria-live="off">
          {place.hasOlder.value ? (
            <p class="older">
              <Button kind="quiet" busyText="Reading" onPress={() => place.readOlder()}>
                Older messages
              </Button>
            </p>
          ) : (
            first
          )}
          <Loading isThere={messages !== null} error={place.problem.value} onRetry={() => place.read()} lines={2} />
          {messages?.length === 0 && entries.length === 0 && empty}
          {entries.map((entry) =>
            entry.kind === "message" ? (
              <Post key={entry.id} {...{ message: entry.message, look, place, known, actions }} />
            ) : entry.kind === "task" ? (
              <TaskPost key={entry.id} task={entry.task} look={look} />
            ) : (
              <ApprovalPost key={entry.id} approval={entry.approval} look={look} />
            ),
          )}
        </div>
      </div>
      {scroll.fresh.value > 0 && (
        <button type="button" class="btn to-end" onClick={scroll.toEnd}>
          {scroll.fresh.value} new
        </button>
      )}
    </div>
  );
}

/** In the order of their times; what is open or at work comes last. */
function entriesOf({ thread }: Look, place: PlaceStore): Entry[] {
  const messages = place.messages.value;
  if (messages === null) return [];
  const begins = place.hasOlder.value ? (messages[0]?.created_at ?? "") : "";
  const isHere = (one: { fork_id: string | null }) => one.fork_id === place.place.forkId;
  const said = new Set(messages.flatMap(({ metadata }) => metadata.taskId ?? []));
  const done: Entry[] = [];
  const open: Entry[] = [];
  for (const task of thread.tasks.value.values()) {
    const { id, status, completed_at, task_type } = task;
    if (!isHere(task) || said.has(id) || task_type !== "message_response") continue;
    const entry = { kind: "task", id, task } as const;
    if (status === "queued" || status === "running") open.push({ ...entry, at: "" });
    else if (status === "cancelled" && completed_at !== null) done.push({ ...entry, at: completed_at });
  }
  for (const approval of thread.approvals.value.filter(isHere)) {
    const entry = { kind: "approval", id: approval.id, at: approval.created_at, approval } as const;
    (approval.status === "open" ? open : done).push(entry);
  }
  const between = done.filter(({ at }) => at >= begins).toSorted((one, other) => (one.at < other.at ? -1 : 1));
  const entries: Entry[] = [];
  for (const message of messages) {
    while (between[0] && between[0].at < message.created_at) entries.push(...between.splice(0, 1));
    entries.push({ kind: "message", id: message.id, at: message.created_at, message });
  }
  return [...entries, ...between, ...open.toSorted((one, other) => (one.id < other.id ? -1 : 1))];
}

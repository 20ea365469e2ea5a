/** The conclusion of a fork: drafted by an agent or written by oneself, edited, and posted to the thread. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { draftOf } from "../../stores/browser/drafts.ts";
import {
  abandonFork,
  cancelTask,
  draftResolution,
  postResolution,
  reopenFork,
} from "../../stores/workspace/thread-actions.ts";
import type { Fork } from "../../stores/workspace/thread-store.ts";
import { countOf } from "../../words/amounts/money.ts";
import { AtWork } from "./posts/post.tsx";
import { agentName, type Look } from "./look/thread-look.ts";
import "./resolve-panel.css";

type PanelProps = { look: Look; fork: Fork };

/** It has the focus between its buttons: each goes away when it was pressed. */
export function ResolvePanel(props: PanelProps) {
  return (
    <div class="conclusion" role="group" aria-label="Conclusion of the fork" tabIndex={-1}>
      <Conclusion {...props} />
    </div>
  );
}

function Conclusion({ look, fork }: PanelProps) {
  const isWriting = useSignal(false);
  const edited = draftOf(`resolution of ${fork.id}`);
  if (fork.status === "resolved" || fork.status === "abandoned") return <Ended look={look} fork={fork} />;
  const task = [...look.thread.tasks.value.values()].findLast(
    ({ fork_id, task_type, status }) =>
      fork_id === fork.id && task_type === "fork_resolution" && (status === "queued" || status === "running"),
  );
  if (fork.status === "resolving" && task)
    return (
      <div class="resolve">
        <p class="rh" role="status">
          <b>Resolution</b>
          <span class="ink-3">{agentName(look.team, task.agent_id)} writes it</span>
          <AtWork task={task} />
          <span class="gap" />
          <Button kind="quiet" busyText="Cancelling" onPress={() => cancelTask(task.id)}>
            Cancel
          </Button>
        </p>
      </div>
    );
  if (fork.draft !== null || edited.value !== "" || isWriting.value)
    return <Draft look={look} fork={fork} hasFocus={isWriting.value} />;
  return (
    <div class="resolve is-short">
      <p class="btns">
        <GiveUp look={look} fork={fork} />
        <span class="gap" />
        <Button kind="quiet" onPress={() => void (isWriting.value = true)}>
          Write the conclusion
        </Button>
        <Button busyText="Asking" onPress={() => write(look, fork)}>
          Have it drafted
        </Button>
      </p>
    </div>
  );
}

const write = async (look: Look, fork: Fork) => {
  const { task } = await draftResolution(fork.id);
  look.thread.takeTask(task);
  // Where an event has told of it meanwhile, and perhaps of its draft, that is newer.
  if (look.thread.forks.value.includes(fork)) look.thread.takeFork({ ...fork, status: "resolving" });
};

function GiveUp({ look, fork }: PanelProps) {
  return (
    <Button kind="quiet" busyText="Giving up" onPress={async () => look.thread.takeFork(await abandonFork(fork.id))}>
      Give up the fork
    </Button>
  );
}

function Draft({ look, fork, hasFocus }: PanelProps & { hasFocus: boolean }) {
  const edited = draftOf(`resolution of ${fork.id}`);
  /** The draft that what one has edited began with. */
  const basis = draftOf(`resolution basis of ${fork.id}`);
  const field = useRef<HTMLTextAreaElement>(null);
  const drafted = fork.draft ?? "";
  const isChanged = edited.value !== "" && edited.value !== basis.value;
  const isNewer = drafted !== basis.value;
  useLayoutEffect(() => {
    // What somebody has changed stays, whatever is drafted meanwhile.
    if (!isNewer || isChanged) return;
    edited.value = drafted;
    basis.value = drafted;
  }, [drafted, isChanged]);
  useLayoutEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  const takeNew = () => {
    edited.value = drafted;
    basis.value = drafted;
  };
  const post = async () => {
    const { fork: ended } = await postResolution(fork.id, edited.value);
    edited.value = "";
    basis.value = "";
    look.thread.takeFork(ended);
  };
  const by = [...look.thread.tasks.value.values()].findLast(
    ({ fork_id, task_type, status }) =>
      fork_id === fork.id && task_type === "fork_resolution" && status === "completed",
  );
  const words = edited.value.trim().split(/\s+/).filter(Boolean).length;
  const isEmpty = edited.value.trim() === "";
  return (
    <div class="resolve">
      <p class="rh">
        <b>Resolution</b>
        <span class="ink-3">
          {fork.draft !== null && by ? `by ${agentName(look.team, by.agent_id)}, ` : ""}
          {countOf(words, "word")}. Change what you like.
        </span>
      </p>
      <textarea
        class="field edit"
        dir="auto"
        aria-label="Resolution"
        rows={7}
        ref={field}
        value={edited.value}
        onInput={(event) => {
          edited.value = event.currentTarget.value;
        }}
      />
      {isNewer && isChanged && drafted !== "" && (
        <p class="newer" role="status">
          Another draft has come since you changed this one.{" "}
          <button type="button" class="btn quiet" onClick={takeNew}>
            Take the new one
          </button>
        </p>
      )}
      <p class="btns">
        <GiveUp look={look} fork={fork} />
        <Button kind="quiet" busyText="Asking" onPress={() => write(look, fork)}>
          {fork.draft === null ? "Have it drafted" : "Write again"}
        </Button>
        <span class="gap" />
        <Button kind="primary" busyText="Posting" isOff={isEmpty} onPress={post}>
          Post to the thread
        </Button>
      </p>
    </div>
  );
}

function Ended({ look, fork }: PanelProps) {
  const isResolved = fork.status === "resolved";
  return (
    <div class="resolve is-short">
      <p class="btns">
        <Mark kind={isResolved ? "done" : "stopped"} />
        <span class="ink-2">
          {isResolved ? "Its conclusion stands in the thread." : "It was given up, without a conclusion."}
        </span>
        <span class="gap" />
        <Button busyText="Opening" onPress={async () => look.thread.takeFork(await reopenFork(fork.id))}>
          Open it again
        </Button>
      </p>
    </div>
  );
}

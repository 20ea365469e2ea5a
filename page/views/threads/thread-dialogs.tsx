/** The questions before a thread or a fork is made, and a thread's own settings. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";
import { draftOf } from "../../stores/browser/drafts.ts";
import type { Message } from "../../stores/workspace/place-store.ts";
import { createFork, createThread, updateThread } from "../../stores/workspace/thread-actions.ts";
import type { Fork, Thread } from "../../stores/workspace/thread-store.ts";
import { messageOf } from "../../words/notices/problem.ts";
import { visible } from "../../words/text/visible-text.ts";
import type { Look, Team } from "./look/thread-look.ts";
import "../../parts/forms/field.css";
import "./thread-dialogs.css";

const longestTitle = 200;
const longestQuestion = 2000;

type AskProps = {
  title: string;
  label: string;
  /** The key of what the draft belongs to. */
  of: string;
  initial?: string;
  most: number;
  word: string;
  busyWord: string;
  onDone: (text: string) => Promise<unknown>;
  onClose: () => void;
  children?: ComponentChildren;
};

/** One line is asked for. */
function AskLine({ title, label, of, initial = "", most, word, busyWord, onDone, onClose, children }: AskProps) {
  const draft = draftOf(of);
  const wrong = useSignal<string | null>(null);
  const isBusy = useRef(false);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (draft.peek() === "") draft.value = initial;
    input.current?.focus();
  }, []);
  const done = async () => {
    const text = draft.value.trim();
    if (text === "" || isBusy.current) return;
    isBusy.current = true;
    wrong.value = null;
    try {
      await onDone(text);
      draft.value = "";
      onClose();
    } catch (error) {
      wrong.value = messageOf(error);
    } finally {
      isBusy.current = false;
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <Button kind="primary" busyText={busyWord} isOff={draft.value.trim() === ""} onPress={done}>
          {word}
        </Button>
      }
    >
      <form
        class="ask-line"
        onSubmit={(event) => {
          event.preventDefault();
          void done();
        }}
      >
        <label for={id}>{label}</label>
        <div class={wrong.value === null ? "field" : "field wrong"}>
          <input
            id={id}
            ref={input}
            dir="auto"
            value={draft}
            maxLength={most}
            autocomplete="off"
            aria-invalid={wrong.value !== null}
            onInput={(event) => {
              draft.value = event.currentTarget.value;
            }}
          />
        </div>
        {wrong.value !== null && (
          <p class="t-failed small" role="alert">
            {wrong.value}
          </p>
        )}
      </form>
      {children}
    </Dialog>
  );
}

type NewThreadProps = { team: Team; onMade: (thread: Thread) => void; onClose: () => void };

export function NewThread({ team, onMade, onClose }: NewThreadProps) {
  const make = async (title: string) => {
    const thread = await createThread(team.team.id, title);
    team.rows.takeThread(thread);
    onMade(thread);
  };
  return (
    <AskLine
      title="New thread"
      label="What it is about"
      of={`new thread ${team.team.id}`}
      most={longestTitle}
      word="Begin the thread"
      busyWord="Beginning"
      onDone={make}
      onClose={onClose}
    />
  );
}

type NewForkProps = { look: Look; message: Message; onMade: (fork: Fork) => void; onClose: () => void };

export function NewFork({ look, message, onMade, onClose }: NewForkProps) {
  const make = async (description: string) => {
    const fork = await createFork(look.thread.id, message.id, description);
    look.thread.takeFork(fork);
    onMade(fork);
  };
  return (
    <AskLine
      title="Begin a fork"
      label="The side question"
      of={`new fork ${message.id}`}
      most={longestQuestion}
      word="Begin the fork"
      busyWord="Beginning"
      onDone={make}
      onClose={onClose}
    >
      <p class="ink-3 quoted">
        <bdi>{visible(message.author_name)}</bdi>: “<bdi>{visible(message.text.slice(0, 200))}</bdi>”
      </p>
    </AskLine>
  );
}

export function EditThread({ look, thread, onClose }: { look: Look; thread: Thread; onClose: () => void }) {
  const isBrief = useSignal(thread.is_brief);
  const save = async (title: string) => {
    look.thread.takeThread(await updateThread(thread.id, { title, is_brief: isBrief.value }));
  };
  return (
    <AskLine
      title="Edit the thread"
      label="What it is about"
      of={`title of ${thread.id}`}
      initial={thread.title}
      most={longestTitle}
      word="Save"
      busyWord="Saving"
      onDone={save}
      onClose={onClose}
    >
      <label class="tick">
        <input
          type="checkbox"
          checked={isBrief.value}
          onChange={(event) => {
            isBrief.value = event.currentTarget.checked;
          }}
        />
        Agents are asked to be brief
      </label>
    </AskLine>
  );
}

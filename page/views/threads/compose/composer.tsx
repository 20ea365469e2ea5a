/** Where one writes: a draft that stays whatever happens, mentions that complete themselves, and files. */
import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../../../parts/buttons/button.tsx";
import { Icon } from "../../../parts/buttons/icon.tsx";
import { AttachButton } from "../../../parts/compose/attach-button.tsx";
import { focusAfterKey } from "../../../parts/compose/focus-after-key.ts";
import { fileHandlers } from "../../../parts/compose/file-handlers.ts";
import { useTextHeight } from "../../../parts/compose/use-text-height.ts";
import { draftOf } from "../../../stores/browser/drafts.ts";
import type { Draft } from "../../../stores/workspace/thread-actions.ts";
import { complete, type Mentionable, mentionables, mentionAt } from "../../../words/names/mentions.ts";
import { messageOf } from "../../../words/notices/problem.ts";
import { DraftFiles, useDraftFiles } from "./draft-files.tsx";
import { MentionList } from "./mention-list.tsx";
import "../../../parts/compose/compose.css";
import "./composer.css";

type ComposerProps = {
  workspace: string;
  /** The key of what the draft belongs to. */
  of: string;
  label: string;
  people: readonly Mentionable[];
  /** The message that is being answered. */
  answers: { id: string; name: string } | null;
  onDropAnswer: () => void;
  onSend: (draft: Draft, key: string) => Promise<unknown>;
};

export function Composer({ workspace, of, label, people, answers, onDropAnswer, onSend }: ComposerProps) {
  const draft = draftOf(of);
  const files = useDraftFiles(workspace, of);
  const wrong = useSignal<string | null>(null);
  const isSending = useSignal(false);
  /** The beginning of a mention at the caret, and which of those it may mean is chosen. */
  const mention = useSignal<string | null>(null);
  const chosen = useSignal(0);
  const attempt = useRef({ said: "", key: "" });
  const answersNow = useRef(answers);
  answersNow.current = answers;
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const offered = mention.value === null ? [] : mentionables(people, mention.value);

  useTextHeight(field, draft.value);
  useLayoutEffect(() => {
    if (answers !== null) field.current?.focus();
  }, [answers?.id]);

  const look = () => {
    const { current } = field;
    const next =
      current && current.selectionStart === current.selectionEnd
        ? mentionAt(current.value, current.selectionEnd)
        : null;
    if (next !== mention.value) chosen.value = 0;
    mention.value = next;
  };
  const pick = (slug: string) => {
    const { current } = field;
    if (!current) return;
    const done = complete(current.value, current.selectionEnd, slug);
    draft.value = done.text;
    current.value = done.text;
    current.setSelectionRange(done.caret, done.caret);
    current.focus();
    mention.value = null;
  };
  const isEmpty = draft.value.trim() === "" && files.stored.length === 0;
  const send = async () => {
    if (isEmpty || isSending.value || files.isStoring) return;
    const text = draft.value.trim();
    const next: Draft = { text, parent: answers?.id ?? null, files: files.stored };
    // Sent again after a failure, it is still the same message.
    const said = JSON.stringify(next);
    if (attempt.current.said !== said) attempt.current = { said, key: crypto.randomUUID() };
    isSending.value = true;
    wrong.value = null;
    focusAfterKey(field.current);
    try {
      await onSend(next, attempt.current.key);
      attempt.current = { said: "", key: "" };
      // What was typed, added or chosen since isn't lost.
      if (draft.value.trim() === text) draft.value = "";
      files.clear(next.files);
      if ((answersNow.current?.id ?? null) === next.parent) onDropAnswer();
    } catch (error) {
      wrong.value = messageOf(error);
    } finally {
      isSending.value = false;
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (offered.length > 0) {
      const act = {
        ArrowDown: () => (chosen.value = (chosen.value + 1) % offered.length),
        ArrowUp: () => (chosen.value = (chosen.value + offered.length - 1) % offered.length),
        Enter: () => pick(offered[chosen.value]?.slug ?? ""),
        Tab: () => pick(offered[chosen.value]?.slug ?? ""),
        Escape: () => (mention.value = null),
      }[event.key];
      if (act && !event.shiftKey) {
        event.preventDefault();
        act();
        return;
      }
    }
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void send();
    }
  };
  const attach = (added: Iterable<File>) => {
    for (const file of added) files.add(file);
  };
  const { onDrop, onPaste } = fileHandlers(attach);

  return (
    <div class="compose" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      {offered.length > 0 && <MentionList id={listId} of={offered} chosen={chosen.value} onPick={pick} />}
      <div class={wrong.value === null ? "field box" : "field box wrong"}>
        {answers !== null && (
          <p class="answers">
            <span class="cut">Answer to {answers.name}</span>
            <button type="button" class="btn quiet icon" aria-label="Answer nobody" onClick={onDropAnswer}>
              <Icon name="close" />
            </button>
          </p>
        )}
        <textarea
          rows={1}
          dir="auto"
          aria-label={label}
          placeholder={label}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={offered.length > 0 ? listId : undefined}
          aria-activedescendant={offered.length > 0 ? `${listId}-${chosen.value}` : undefined}
          aria-invalid={wrong.value !== null}
          value={draft.value}
          ref={field}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
            look();
          }}
          onKeyDown={press}
          onKeyUp={(event) => event.key !== "Escape" && look()}
          onClick={look}
          onBlur={() => (mention.value = null)}
          onPaste={onPaste}
        />
        <DraftFiles files={files} />
        <p class="tools">
          <AttachButton onFiles={attach} />
          <span class="gap" />
          <Button busyText="Posting" onPress={send} isOff={isEmpty || files.isStoring}>
            Post <kbd aria-hidden="true">⏎</kbd>
          </Button>
        </p>
      </div>
      {wrong.value !== null && (
        <p class="t-failed small" role="alert">
          {wrong.value}
        </p>
      )}
    </div>
  );
}

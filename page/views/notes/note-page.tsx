/** A text of the journal that agents read, a skill or a file of the memory: read, edited, and guarded against lost updates. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../../api/api-error.ts";
import type { JournalPart } from "../../live/journal-changes.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { CodeEditor } from "../../parts/content/code-editor.tsx";
import { Diff, PlusMinus } from "../../parts/content/diff.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import { lineDiff } from "../../words/diff/line-diff.ts";
import { readNoteDraft, type NoteDraft } from "../../words/drafts/note-draft.ts";
import { useSaveKey } from "../../keys/save-key.ts";
import "./notes.css";

/** `version` null: there is none yet. */
export type Note = { text: string; version: string | null };

type NoteProps = {
  /** The key of what the draft belongs to. */
  place: string;
  title: string;
  about: string;
  /** The part of the journal that it belongs to. */
  part: JournalPart;
  read: (signal: AbortSignal) => Promise<Note>;
  /** @throws ApiError with 409 for another version than the one that stands there */
  write: (note: Note) => Promise<Note>;
  onSaved: () => void;
};

export function NotePage({ place, title, about, part, read: ask, write, onSaved }: NoteProps) {
  const answer = useAnswer(place, ask, [part]);
  const draft = draftOf(place);
  const mine = readNoteDraft(draft.value);
  const theirs = answer.data.value;
  useEffect(() => {
    // What was changed to the same is no change.
    if (mine !== null && theirs !== null && mine.text === theirs.text) draft.value = "";
  }, [theirs]);
  useSaveKey();
  if (theirs === null)
    return answer.problem.value === null ? null : <Problem error={answer.problem.value} onRetry={answer.read} />;
  const isOverTaken = mine !== null && mine.version !== theirs.version;
  const base = mine?.base ?? theirs.text;
  const change = (text: string) => {
    const before: NoteDraft = mine ?? { version: theirs.version, base: theirs.text, text };
    draft.value = text === before.base && !isOverTaken ? "" : JSON.stringify({ ...before, text });
  };
  const save = async () => {
    if (mine === null) return;
    try {
      answer.data.value = await write({ text: mine.text, version: mine.version });
      draft.value = "";
      onSaved();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      await answer.read();
    }
  };
  return (
    <section class="note-page" aria-label={title}>
      <header class="thead">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <span class="ink-3">{about}</span>
      </header>
      <div class="scroll">
        {isOverTaken && mine !== null && (
          <Overtaken
            base={base}
            theirs={theirs.text}
            onMine={() => {
              draft.value = JSON.stringify({ version: theirs.version, base: theirs.text, text: mine.text });
            }}
            onTheirs={() => (draft.value = "")}
          />
        )}
        <CodeEditor text={mine?.text ?? theirs.text} saved={base} label={title} language="markdown" onChange={change} />
      </div>
      <footer class="savebar">
        {mine === null ? (
          <span class="ink-3">Nothing is changed.</span>
        ) : (
          <>
            <PlusMinus of={lineDiff(base, mine.text)} />
            <Button kind="quiet" onPress={() => (draft.value = "")}>
              Take it back
            </Button>
          </>
        )}
        <span class="gap" />
        <span data-save>
          <Button kind="primary" busyText="Saving" isOff={mine === null || isOverTaken} onPress={save}>
            Save <kbd aria-hidden="true">Ctrl S</kbd>
          </Button>
        </span>
      </footer>
    </section>
  );
}

type OvertakenProps = { base: string; theirs: string; onMine: () => void; onTheirs: () => void };

function Overtaken({ base, theirs, onMine, onTheirs }: OvertakenProps) {
  const isAsked = useSignal(false);
  return (
    <section class="conflict" aria-label="Changed by somebody else" role="alert">
      <p class="strong">It was changed elsewhere since you read it. Your text is kept here.</p>
      <p class="ink-2 small">What was changed there:</p>
      <Diff before={base} after={theirs} />
      <p class="btns">
        <Button onPress={onMine}>Go on with mine</Button>
        <Button kind="quiet" onPress={() => (isAsked.value ? onTheirs() : (isAsked.value = true))}>
          {isAsked.value ? "Yes, drop mine" : "Take theirs, and drop mine"}
        </Button>
      </p>
    </section>
  );
}

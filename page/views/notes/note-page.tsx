/** A text of the journal that agents read, a skill or a file of the memory: read, edited, and guarded against lost updates. */
import { useEffect, useMemo } from "preact/hooks";
import { useSaveKey } from "../../keys/save-key.ts";
import { type JournalPart, onJournalChange } from "../../live/journal-changes.ts";
import { CodeEditor } from "../../parts/content/code-editor.tsx";
import { PlusMinus } from "../../parts/content/diff.tsx";
import { Overtaken } from "../../parts/editing/overtaken.tsx";
import { SaveBar } from "../../parts/editing/save-bar.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { type NoteDeps, NoteEdit } from "../../stores/editing/note-edit.ts";
import { lineDiff } from "../../words/diff/line-diff.ts";
import { shownLine } from "../../words/names/names.ts";
import "./notes.css";

type NoteProps = NoteDeps & {
  title: string;
  about: string;
  /** The part of the journal that it belongs to. */
  part: JournalPart;
  onSaved: () => void;
};

export function NotePage({ place, title, about, part, read, write, onSaved }: NoteProps) {
  const edit = useMemo(() => new NoteEdit({ place, read, write }), [place]);
  useEffect(() => {
    void edit.read();
    return onJournalChange([part], () => edit.read());
  }, [edit, part]);
  useSaveKey();
  const theirs = edit.server.value;
  if (theirs === null)
    return (
      <>
        <h1 class="off">{shownLine(title)}</h1>
        <Loading isThere={false} error={edit.problem.value} onRetry={() => edit.read()} rows={6} />
      </>
    );
  const [base, mine] = [edit.base.value, edit.mine.value];
  const save = async () => {
    await edit.save();
    onSaved();
  };
  return (
    <section class="note-page" aria-label={title}>
      <header class="thead">
        <h1>
          <bdi>{shownLine(title)}</bdi>
        </h1>
        <span class="ink-3">{shownLine(about)}</span>
      </header>
      <div class="scroll">
        {edit.problem.value !== null && <Problem error={edit.problem.value} onRetry={() => edit.read()} />}
        {edit.isOvertaken.value && (
          <Overtaken
            sides={[{ base, theirs: theirs.text, mine }]}
            onMine={() => edit.keepMine()}
            onTheirs={() => edit.show(null)}
          />
        )}
        <CodeEditor text={mine} saved={base} label={title} language="markdown" onChange={(text) => edit.change(text)} />
      </div>
      <SaveBar
        changed={edit.isChanged.value ? <PlusMinus of={lineDiff(base, mine)} /> : null}
        onTakeBack={() => edit.show(null)}
        saveText="Save"
        isOff={edit.isOvertaken.value}
        onSave={save}
      />
    </section>
  );
}

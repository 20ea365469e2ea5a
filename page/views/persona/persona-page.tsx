/** A persona: its settings and its text at the left, what the model is told, its versions and a try at the right. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useSaveKey } from "../../keys/save-key.ts";
import { onJournalChange } from "../../live/journal-changes.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { FormOrRaw } from "../../parts/editing/form-or-raw.tsx";
import { Overtaken } from "../../parts/editing/overtaken.tsx";
import { TextBar } from "../../parts/editing/text-bar.tsx";
import { sidesOf } from "../../parts/editing/text-diff.tsx";
import { TextForm } from "../../parts/editing/text-form.tsx";
import { Versions } from "../../parts/editing/versions.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { type Persona, PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { firstSettings, settingLabels } from "../../words/forms/persona-fields.ts";
import { personName, shownLine } from "../../words/names/names.ts";
import { Preview } from "./preview.tsx";
import { TryOut } from "./try-out.tsx";
import { usePreview } from "./use-preview.ts";
import "./persona.css";

type PageProps = { name: string; onSaved: () => void };

export function PersonaPage({ name, onSaved }: PageProps) {
  const edit = useMemo(() => new PersonaEdit(name), [name]);
  const isRaw = useSignal(false);
  const isTrying = useSignal(false);
  useEffect(() => {
    void edit.read();
    return onJournalChange(["personas", "apps"], () => edit.read());
  }, [edit]);
  const preview = usePreview(edit);
  useSaveKey();
  const persona = edit.server.value;
  if (persona === null)
    return (
      <>
        <h1 class="off">{personName(name)}</h1>
        <Loading isThere={false} error={edit.problem.value} onRetry={() => edit.read()} rows={6} />
      </>
    );
  const save = async () => {
    await edit.save();
    onSaved();
  };
  const given = persona.settings?.["title"];
  const title = typeof given === "string" ? shownLine(given) : personName(name);
  const problems = Object.fromEntries(preview.value?.fields.map(({ path, message }) => [path, message]) ?? []);
  const canBeChanged = persona.can_be_changed;
  return (
    <div class="edit-page">
      <section class="edit-p" aria-label={title}>
        <header class="thead">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <span class="ink-3">
            <bdi>{name}</bdi>, {versionWords(edit, persona.source)}
          </span>
          <span class="gap" />
          <FormOrRaw isRaw={isRaw} />
        </header>
        <div class="scroll">
          {edit.problem.value !== null && <Problem error={edit.problem.value} onRetry={() => edit.read()} />}
          {persona.problem !== null && (
            <p class="notice t-failed" role="alert">
              It can’t be used: {persona.problem}
            </p>
          )}
          {persona.warnings.map((warning) => (
            <p key={warning} class="notice">
              {warning}
            </p>
          ))}
          {edit.isOvertaken.value && (
            <Overtaken
              sides={sidesOf(edit.base.value, edit.saved, edit.mine.value)}
              onMine={() => edit.keepMine()}
              onTheirs={() => edit.show(null)}
            />
          )}
          <TextForm
            edit={edit}
            schema={persona.schema}
            first={firstSettings}
            labels={settingLabels}
            isRaw={isRaw.value}
            lockedBy={canBeChanged ? null : "It belongs to an app: it is changed there."}
            problems={problems}
            place={
              <>
                <bdi>{name}.txt</bdi>,{" "}
              </>
            }
          />
        </div>
        <TextBar
          edit={edit}
          next={canBeChanged ? nextOf(edit, persona) : null}
          refusal={preview.value?.problem ?? null}
          onSave={save}
        >
          <Button
            onPress={() => (isTrying.value = true)}
            keyName="T"
            isOff={persona.problem !== null && edit.changes.value === 0}
          >
            Try it <kbd aria-hidden="true">T</kbd>
          </Button>
        </TextBar>
      </section>
      <aside class="side-p" aria-label="Preview and versions">
        <Preview edit={edit} preview={preview.value} />
        <Versions edit={edit} back={canBeChanged ? { press: (_, text) => edit.show(text) } : null} />
        <TryOut edit={edit} isOpen={isTrying.value} onClose={() => (isTrying.value = false)} />
      </aside>
    </div>
  );
}

function versionWords({ versions }: PersonaEdit, source: string): string {
  if (source === "built-in") return "built in";
  return source === "journal" ? `version ${versions.value.length}` : `of the app ${source.replace(/^app:/, "")}`;
}

const nextOf = ({ versions }: PersonaEdit, { source }: Persona) =>
  source === "built-in" ? "your own" : `version ${versions.value.length + 1}`;

/** A persona: its settings and its text at the left, what the model is told, its versions and a try at the right. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { onJournalChange } from "../../live/journal-changes.ts";
import { Problem } from "../../parts/loading/problem.tsx";
import { PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { personName } from "../../words/names/names.ts";
import { Conflict } from "./conflict.tsx";
import { PersonaForm } from "./persona-form.tsx";
import { Preview } from "./preview.tsx";
import { SaveBar } from "./save-bar.tsx";
import { TryOut } from "./try-out.tsx";
import { usePreview } from "./use-preview.ts";
import { Versions } from "./versions.tsx";
import { useSaveKey } from "../../keys/save-key.ts";
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
  const persona = edit.persona.value;
  const save = async () => {
    await edit.save();
    onSaved();
  };
  useSaveKey();
  if (persona === null)
    return edit.problem.value === null ? null : <Problem error={edit.problem.value} onRetry={() => edit.read()} />;
  const title = typeof persona.settings?.["title"] === "string" ? persona.settings["title"] : personName(name);
  return (
    <div class="persona-page">
      <section class="edit-p" aria-label={title}>
        <header class="thead">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <span class="ink-3">
            <bdi>{name}</bdi>, {versionWords(edit, persona.source)}
          </span>
          <span class="gap" />
          <div class="seg" role="group" aria-label="Settings as">
            <button type="button" aria-pressed={!isRaw.value} onClick={() => (isRaw.value = false)}>
              Form
            </button>
            <button type="button" aria-pressed={isRaw.value} onClick={() => (isRaw.value = true)}>
              Raw
            </button>
          </div>
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
          {edit.isOverTaken.value && <Conflict edit={edit} theirs={persona} />}
          <PersonaForm edit={edit} persona={persona} isRaw={isRaw.value} problems={preview.value?.fields ?? []} />
        </div>
        <SaveBar
          edit={edit}
          persona={persona}
          refusal={preview.value?.problem ?? null}
          onSave={save}
          onTry={() => (isTrying.value = true)}
        />
      </section>
      <aside class="side-p" aria-label="Preview and versions">
        <Preview edit={edit} preview={preview.value} />
        <Versions edit={edit} />
        <TryOut edit={edit} isOpen={isTrying.value} onClose={() => (isTrying.value = false)} />
      </aside>
    </div>
  );
}

function versionWords({ versions }: PersonaEdit, source: string): string {
  if (source === "built-in") return "built in";
  return source === "journal" ? `version ${versions.value.length}` : `of the app ${source.replace(/^app:/, "")}`;
}

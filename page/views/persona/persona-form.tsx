/** The settings as a form or as JSON, and the text. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CodeEditor } from "../../parts/content/code-editor.tsx";
import { SchemaForm } from "../../parts/forms/schema-form.tsx";
import type { Persona, PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { countOf } from "../../words/amounts/money.ts";
import { aboutTokens, settingsText } from "../../words/drafts/persona-draft.ts";
import { firstSettings, settingLabels } from "../../words/forms/persona-fields.ts";
import { jsonIn } from "../../words/forms/typed-values.ts";
import { isRecord } from "../../words/json/read-json.ts";

type FormProps = {
  edit: PersonaEdit;
  persona: Persona;
  isRaw: boolean;
  problems: readonly { path: string; message: string }[];
};

export function PersonaForm({ edit, persona, isRaw, problems }: FormProps) {
  const { mine, base, generation } = edit;
  return (
    <fieldset disabled={!persona.can_be_changed} class="plain-fields" key={generation.value}>
      {!persona.can_be_changed && <p class="notice">It belongs to an app: it is changed there.</p>}
      {isRaw ? (
        <Raw edit={edit} />
      ) : (
        <SchemaForm
          schema={persona.schema}
          value={mine.value.settings}
          saved={base.value.settings}
          first={firstSettings}
          labels={settingLabels}
          problems={Object.fromEntries(problems.map(({ path, message }) => [path, message]))}
          onChange={(settings) => edit.change({ settings })}
          onWrong={(path, problem) => edit.noteWrong(path, problem)}
        />
      )}
      <div class="sec">
        <h2>Instructions</h2>
        <span class="to">
          <bdi>{persona.name}.txt</bdi>, about {countOf(aboutTokens(mine.value.instruction), "token")}
        </span>
      </div>
      <CodeEditor
        text={mine.value.instruction}
        saved={base.value.instruction}
        label="Instructions"
        language="markdown"
        onChange={(instruction) => edit.change({ instruction })}
      />
    </fieldset>
  );
}

/** The settings as they are written. Text that is no JSON stays, and changes nothing yet. */
function Raw({ edit }: { edit: PersonaEdit }) {
  const { mine, base } = edit;
  const typed = useSignal(settingsText(mine.value.settings));
  const problem = useSignal<string | null>(null);
  useEffect(() => () => edit.noteWrong("raw", null), [edit]);
  const change = (text: string) => {
    typed.value = text;
    const read = jsonIn(text.trim() === "" ? "{}" : text);
    const settings = "value" in read && isRecord(read.value) ? read.value : null;
    problem.value = "problem" in read ? read.problem : settings === null ? "Settings are an object: { … }" : null;
    edit.noteWrong("raw", problem.value);
    if (settings !== null) edit.change({ settings });
  };
  return (
    <>
      <CodeEditor
        text={typed.value}
        saved={settingsText(base.value.settings)}
        label="Settings as JSON"
        language="json"
        onChange={change}
      />
      {problem.value !== null && (
        <p class="t-failed small" role="alert">
          {problem.value}
        </p>
      )}
    </>
  );
}

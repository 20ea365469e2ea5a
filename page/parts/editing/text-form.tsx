/** An agent or a persona to be edited: its settings as a form or as JSON, and its text. */
import type { ComponentChildren } from "preact";
import { CodeEditor } from "../content/code-editor.tsx";
import { SchemaForm } from "../forms/schema-form.tsx";
import type { EditedText } from "../../stores/editing/text-edit.ts";
import { countOf } from "../../words/amounts/money.ts";
import { aboutTokens } from "../../words/drafts/agent-text.ts";
import type { JsonSchema } from "../../words/forms/schema-fields.ts";
import { RawJson } from "./raw-json.tsx";
import "./editing.css";

export type TextFormProps = {
  edit: EditedText;
  schema: JsonSchema;
  first: readonly string[];
  labels: Readonly<Record<string, string>>;
  isRaw: boolean;
  /** Why it can't be changed here; null: it can. */
  lockedBy: ComponentChildren | null;
  problems: Readonly<Record<string, string>>;
  /** Where the text stands, before its length. */
  place?: ComponentChildren;
};

export function TextForm({ edit, schema, first, labels, isRaw, lockedBy, problems, place }: TextFormProps) {
  const { mine, base, generation } = edit;
  return (
    <fieldset disabled={lockedBy !== null} class="plain-fields" key={generation.value}>
      {lockedBy !== null && <p class="notice">{lockedBy}</p>}
      {isRaw ? (
        <RawJson edit={edit} isReadOnly={lockedBy !== null} />
      ) : (
        <SchemaForm
          schema={schema}
          value={mine.value.settings}
          saved={base.value.settings}
          first={first}
          labels={labels}
          problems={problems}
          onChange={(settings) => edit.changePart({ settings })}
          onWrong={(path, problem) => edit.noteWrong(path, problem)}
        />
      )}
      <div class="sec">
        <h2>Instructions</h2>
        <span class="to">
          {place}about {countOf(aboutTokens(mine.value.instruction), "token")}
        </span>
      </div>
      <CodeEditor
        text={mine.value.instruction}
        saved={base.value.instruction}
        label="Instructions"
        language="markdown"
        isReadOnly={lockedBy !== null}
        onChange={(instruction) => edit.changePart({ instruction })}
      />
    </fieldset>
  );
}

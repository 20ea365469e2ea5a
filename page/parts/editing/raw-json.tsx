/** Settings as they are written. Text that is no JSON stays, and changes nothing yet. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CodeEditor } from "../content/code-editor.tsx";
import type { EditedText } from "../../stores/editing/text-edit.ts";
import { settingsJson } from "../../words/drafts/agent-text.ts";
import { jsonIn } from "../../words/forms/typed-values.ts";
import { isRecord } from "../../words/json/read-json.ts";

export function RawJson({ edit, isReadOnly }: { edit: EditedText; isReadOnly: boolean }) {
  const { mine, base } = edit;
  const typed = useSignal(settingsJson(mine.value.settings));
  const problem = useSignal<string | null>(null);
  useEffect(() => () => edit.noteWrong("raw", null), [edit]);
  const change = (text: string) => {
    typed.value = text;
    const read = jsonIn(text.trim() === "" ? "{}" : text);
    const settings = "value" in read && isRecord(read.value) ? read.value : null;
    problem.value = "problem" in read ? read.problem : settings === null ? "Settings are an object: { … }" : null;
    edit.noteWrong("raw", problem.value);
    if (settings !== null) edit.changePart({ settings });
  };
  return (
    <>
      <CodeEditor
        text={typed.value}
        saved={settingsJson(base.value.settings)}
        label="Settings as JSON"
        language="json"
        isReadOnly={isReadOnly}
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

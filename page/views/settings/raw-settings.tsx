/** The settings as they stand in the file. Text that is no JSON stays, and changes nothing yet. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { CodeEditor } from "../../parts/content/code-editor.tsx";
import type { SettingsEdit } from "../../stores/editing/settings-edit.ts";
import { settingsText } from "../../words/drafts/settings-draft.ts";
import { jsonIn } from "../../words/forms/typed-values.ts";
import { isRecord } from "../../words/json/read-json.ts";

export function RawSettings({ edit, fileText }: { edit: SettingsEdit; fileText: string }) {
  const mine = edit.isReadable.value ? edit.mine.value : null;
  const typed = useSignal<{ text: string; json: string | null; problem: string | null } | null>(null);
  const json = mine === null ? null : JSON.stringify(mine);
  // What was typed stands as long as the settings are those that it gave.
  const own = typed.value?.json === json ? typed.value : null;
  const text = own?.text ?? (mine === null ? fileText : settingsText(mine));
  const problem = own?.problem ?? null;
  // With what is drawn: a key that is pressed right behind the text saves nothing of before it.
  useLayoutEffect(() => {
    edit.noteWrong("raw", problem);
    return () => edit.noteWrong("raw", null);
  }, [problem, edit]);
  const change = (now: string) => {
    const read = now.trim() === "" ? { problem: "No settings at all are written { }." } : jsonIn(now);
    const value = "value" in read && isRecord(read.value) ? read.value : null;
    const wrong = "problem" in read ? read.problem : value === null ? "Settings are an object: { … }" : null;
    typed.value = { text: now, json: value === null ? json : JSON.stringify(value), problem: wrong };
    if (value !== null) edit.change(value);
  };
  return (
    <section class="raw-settings" aria-label="File">
      <div class="settings-sec">
        <h2>The file</h2>
        <span class="to">cortex.json</span>
      </div>
      <CodeEditor
        text={text}
        saved={mine === null ? fileText : settingsText(edit.base.value)}
        label="cortex.json"
        language="json"
        onChange={change}
      />
      {problem !== null && (
        <p class="t-failed small" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

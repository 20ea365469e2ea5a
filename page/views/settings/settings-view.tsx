/** The settings: of this browser, and of the journal, as a form with the file beside it. */
import { useEffect, useMemo } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { onJournalChange } from "../../live/journal-changes.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { SchemaForm } from "../../parts/forms/schema-form.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { View } from "../../parts/layout/view.tsx";
import { SettingsEdit } from "../../stores/editing/settings-edit.ts";
import { countOf } from "../../words/amounts/money.ts";
import { changedNames } from "../../words/drafts/settings-draft.ts";
import { settingsLabel, settingsLabels } from "../../words/forms/settings-fields.ts";
import { ChangedElsewhere } from "./changed-elsewhere.tsx";
import { RawSettings } from "./raw-settings.tsx";
import { ThisBrowser } from "./this-browser.tsx";
import { useSaveKey } from "../../keys/save-key.ts";
import "./settings.css";

/** The settings that people come for: the rest is a press away. */
const firstNames = ["default_backend", "default_model", "budgets", "limits", "folders", "max_concurrent", "agents"];

/** Typing is over when nothing was typed for so long. */
const typedMs = 300;

export default function SettingsView({ query = {} }: { query?: Record<string, string> }) {
  const edit = useMemo(() => new SettingsEdit(), []);
  const schema = useAnswer("schema", (signal) => answered(client.GET("/api/v1/settings/schema", { signal })));
  useEffect(() => {
    void edit.read();
    return onJournalChange(["settings"], () => edit.read());
  }, [edit]);
  const { mine, base, refusals, generation } = edit;
  useEffect(() => {
    const timer = setTimeout(() => void edit.check(), typedMs);
    return () => clearTimeout(timer);
  }, [mine.value]);
  useSaveKey();
  const document = edit.document.value;
  const fields = schema.data.value?.schema;
  const isThere = document !== null && fields !== undefined;
  useEffect(() => openGroup(query["open"]), [isThere, query["open"]]);
  return (
    <div class="settings-view">
      <View title="Settings" sum="cortex.json of this journal">
        <ThisBrowser />
        <Problem
          error={edit.problem.value ?? schema.problem.value}
          onRetry={() => Promise.all([edit.read(), schema.read()])}
        />
        {isThere && (
          <>
            {document.problems.length > 0 && (
              <div class="notice t-failed" role="alert">
                The file can’t be used as it stands, so the settings of before are in force:
                <ul>
                  {document.problems.map((problem) => (
                    <li key={problem}>{problem}</li>
                  ))}
                </ul>
              </div>
            )}
            {edit.isOvertaken.value && <ChangedElsewhere edit={edit} theirs={document.settings ?? {}} />}
            <div class="settings-both" key={generation.value}>
              <section aria-label="Form">
                <div class="settings-sec">
                  <h2>This journal</h2>
                </div>
                {mine.value === null ? (
                  <p class="ink-2">What stands there isn’t JSON. It can be put right in the text.</p>
                ) : (
                  <SchemaForm
                    schema={fields}
                    value={mine.value}
                    saved={base.value}
                    first={firstNames}
                    labels={settingsLabels}
                    problems={Object.fromEntries(refusals.value.map(({ path, message }) => [path, message]))}
                    isDescribed
                    onChange={(changed) => edit.change(changed)}
                    onWrong={(path, problem) => edit.noteWrong(path, problem)}
                  />
                )}
              </section>
              <RawSettings edit={edit} fileText={document.text ?? ""} />
            </div>
          </>
        )}
      </View>
      {isThere && <SaveBar edit={edit} />}
    </div>
  );
}

function SaveBar({ edit }: { edit: SettingsEdit }) {
  const { isChanged, isOvertaken, wrong, refusals } = edit;
  const names = isChanged.value ? changedNames(edit.base.value, edit.mine.value ?? {}) : [];
  const [refusal] = refusals.value;
  const isOff = !isChanged.value || isOvertaken.value || wrong.value.length > 0 || refusal !== undefined;
  return (
    <footer class="savebar">
      {isChanged.value ? (
        <>
          <b class="strong ink-2">{countOf(names.length, "change")}</b>
          <Button kind="quiet" onPress={() => edit.takeTheirs()}>
            Take {names.length === 1 ? "it" : "them"} back
          </Button>
        </>
      ) : (
        <span class="ink-3">Nothing is changed.</span>
      )}
      {refusal !== undefined && (
        <span class="t-failed small cut" role="status">
          {refusal.path === "" ? "" : `${settingsLabel(refusal.path.split(".").at(-1) ?? "")}: `}
          {refusal.message}
        </span>
      )}
      <span class="gap" />
      <span data-save>
        <Button kind="primary" busyText="Saving" isOff={isOff} onPress={() => edit.save()}>
          Save{" "}
          <kbd class="no-phone" aria-hidden="true">
            Ctrl S
          </kbd>
        </Button>
      </span>
    </footer>
  );
}

/** Opens the group of settings that somebody comes for. */
function openGroup(name: string | undefined): void {
  if (name === undefined) return;
  const label = settingsLabel(name);
  const group = [...document.querySelectorAll<HTMLDetailsElement>(".settings-both .schema-group")].find(
    (one) => one.querySelector("summary > .strong")?.textContent === label,
  );
  if (!group) return;
  group.open = true;
  group.scrollIntoView({ block: "center" });
}

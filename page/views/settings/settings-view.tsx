/** The settings: of this browser, and of the journal, as a form with the file beside it. */
import { useEffect, useMemo } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { onJournalChange } from "../../live/journal-changes.ts";
import { Overtaken } from "../../parts/editing/overtaken.tsx";
import { SaveBar } from "../../parts/editing/save-bar.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { SchemaForm } from "../../parts/forms/schema-form.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { View } from "../../parts/layout/view.tsx";
import { SettingsEdit } from "../../stores/editing/settings-edit.ts";
import { countOf } from "../../words/amounts/money.ts";
import { changedNames, settingsText } from "../../words/drafts/settings-draft.ts";
import { settingsLabel, settingsLabels } from "../../words/forms/settings-fields.ts";
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
  const unread = edit.isReadable.value ? null : "What stands there isn’t JSON. It can be put right in the text.";
  useEffect(() => {
    const timer = setTimeout(() => void edit.check(), typedMs);
    return () => clearTimeout(timer);
  }, [mine.value]);
  useSaveKey();
  const document = edit.server.value;
  const fields = schema.data.value?.schema;
  const isThere = document !== null && fields !== undefined;
  useEffect(() => openGroup(query["open"]), [isThere, query["open"]]);
  return (
    <div class="settings-view">
      <View title="Settings" sum="cortex.json of this journal">
        <ThisBrowser />
        <Loading
          isThere={isThere}
          error={edit.problem.value ?? schema.problem.value}
          rows={8}
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
            {edit.isOvertaken.value && (
              <Overtaken
                sides={[
                  {
                    base: settingsText(base.value),
                    theirs: settingsText(document.settings ?? {}),
                    mine: settingsText(mine.value),
                  },
                ]}
                onMine={() => edit.keepMine()}
                onTheirs={() => edit.show(null)}
              />
            )}
            <div class="settings-both" key={generation.value}>
              <section aria-label="Form">
                <div class="settings-sec">
                  <h2>This journal</h2>
                </div>
                {unread !== null ? (
                  <p class="ink-2">{unread}</p>
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
      {isThere && <SettingsBar edit={edit} />}
    </div>
  );
}

function SettingsBar({ edit }: { edit: SettingsEdit }) {
  const { isChanged, isOvertaken, wrong, refusals } = edit;
  const names = isChanged.value ? changedNames(edit.base.value, edit.mine.value) : [];
  const [refusal] = refusals.value;
  const field = refusal === undefined || refusal.path === "" ? "" : `${settingsLabel(lastOf(refusal.path))}: `;
  return (
    <SaveBar
      changed={isChanged.value ? <b class="strong ink-2">{countOf(names.length, "change")}</b> : null}
      takeBackText={`Take ${names.length === 1 ? "it" : "them"} back`}
      onTakeBack={() => edit.show(null)}
      refusal={refusal === undefined ? null : field + refusal.message}
      saveText="Save"
      isOff={isOvertaken.value || wrong.value.length > 0 || refusal !== undefined}
      onSave={() => edit.save()}
    />
  );
}

const lastOf = (path: string) => path.split(".").at(-1) ?? "";

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

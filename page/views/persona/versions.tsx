/** The versions: how each differs from what stands here or from another one, and a way back to it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { Diff, PlusMinus } from "../../parts/content/diff.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { lineDiff } from "../../words/diff/line-diff.ts";
import { type PersonaText, settingsText } from "../../words/drafts/persona-draft.ts";
import { whenOf } from "../../words/time/times.ts";

const mostShown = 8;

export function Versions({ edit }: { edit: PersonaEdit }) {
  const { versions, changes } = edit;
  const chosen = useSignal<string | null>(null);
  const other = useSignal<string | null>(null);
  const isAll = useSignal(false);
  const items = versions.value;
  const shown = isAll.value ? items : items.slice(0, mostShown);
  const numberOf = (version: string) => items.length - items.findIndex((one) => one.version === version);
  const hasChanges = changes.value > 0;
  return (
    <>
      <div class="sec">
        <h2>Versions</h2>
        {items.length > 1 && <span class="to">choose one to compare</span>}
      </div>
      <ol class="vers">
        {hasChanges && (
          <li class="on">
            <b>Not saved</b>
            <span />
            <UnsavedLines edit={edit} />
          </li>
        )}
        {shown.map(({ version, at }, index) => (
          <li key={version + String(index)} class={chosen.value === version ? "on" : ""}>
            <button
              type="button"
              aria-pressed={chosen.value === version}
              onClick={() => (chosen.value = chosen.value === version ? null : version)}
            >
              <b>Version {items.length - index}</b>
              {index === 0 && <span class="ink-2">as it is saved</span>}
              <span class="ink-3 small">{at === null ? "never changed here" : whenOf(Date.parse(at), now.value)}</span>
            </button>
          </li>
        ))}
      </ol>
      {items.length > shown.length && (
        <Button kind="quiet" onPress={() => (isAll.value = true)}>
          {`${items.length - shown.length} older`}
        </Button>
      )}
      {hasChanges && chosen.value === null && <TextDiff before={edit.base.value} after={edit.mine.value} />}
      {chosen.value !== null && (
        <Compared
          edit={edit}
          version={chosen.value}
          with={other.value}
          options={items.map(({ version }) => [version, `version ${numberOf(version)}`])}
          onWith={(version) => (other.value = version)}
          onBack={() => (chosen.value = null)}
          number={numberOf(chosen.value)}
        />
      )}
    </>
  );
}

function UnsavedLines({ edit }: { edit: PersonaEdit }) {
  const [base, mine] = [edit.base.value, edit.mine.value];
  const [text, settings] = [
    lineDiff(base.instruction, mine.instruction),
    lineDiff(settingsText(base.settings), settingsText(mine.settings)),
  ];
  return <PlusMinus of={{ added: text.added + settings.added, removed: text.removed + settings.removed }} />;
}

type ComparedProps = {
  edit: PersonaEdit;
  version: string;
  number: number;
  /** Null: with what stands in the fields. */
  with: string | null;
  options: readonly (readonly [version: string, text: string])[];
  onWith: (version: string | null) => void;
  onBack: () => void;
};

function Compared({ edit, version, number, with: other, options, onWith, onBack }: ComparedProps) {
  const texts = useSignal<{ from: PersonaText; to: PersonaText | null } | null>(null);
  const problem = useSignal<unknown>(null);
  useEffect(() => {
    let isGone = false;
    texts.value = null;
    problem.value = null;
    Promise.all([edit.textOfVersion(version), other === null ? null : edit.textOfVersion(other)]).then(
      ([from, to]) => {
        if (!isGone) texts.value = { from, to };
      },
      (error: unknown) => {
        if (!isGone) problem.value = error;
      },
    );
    return () => {
      isGone = true;
    };
  }, [version, other]);
  const back = () => {
    if (texts.value !== null) edit.show(texts.value.from);
    onBack();
  };
  return (
    <section class="compared" aria-label={`Version ${number} compared`}>
      <p class="btns">
        <label class="ink-2">
          Version {number} against{" "}
          <select
            class="chip"
            value={other ?? ""}
            onChange={(event) => onWith(event.currentTarget.value === "" ? null : event.currentTarget.value)}
          >
            <option value="">what stands here</option>
            {options
              .filter(([one]) => one !== version)
              .map(([one, text]) => (
                <option key={one} value={one}>
                  {text}
                </option>
              ))}
          </select>
        </label>
      </p>
      {problem.value !== null && <Problem error={problem.value} />}
      {texts.value !== null && (
        <>
          <TextDiff before={texts.value.from} after={texts.value.to ?? edit.mine.value} />
          {edit.persona.value?.can_be_changed && <Button onPress={back}>Go back to version {number}</Button>}
        </>
      )}
    </section>
  );
}

function TextDiff({ before, after }: { before: PersonaText; after: PersonaText }) {
  const settings = [settingsText(before.settings), settingsText(after.settings)] as const;
  const isText = before.instruction.replace(/\n$/, "") !== after.instruction.replace(/\n$/, "");
  if (!isText && settings[0] === settings[1]) return <p class="ink-3 small">They are the same.</p>;
  return (
    <div class="text-diff">
      {settings[0] !== settings[1] && <Diff before={settings[0]} after={settings[1]} />}
      {isText && <Diff before={before.instruction} after={after.instruction} />}
    </div>
  );
}

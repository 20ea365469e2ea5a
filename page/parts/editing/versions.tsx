/** The versions: how each differs from what stands here or from another one, and a way back to it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../buttons/button.tsx";
import { Problem } from "../loading/problem.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { EditedText, VersionRow } from "../../stores/editing/text-edit.ts";
import type { AgentText } from "../../words/drafts/agent-text.ts";
import { whenOf } from "../../words/time/times.ts";
import { TextDiff, TextPlusMinus } from "./text-diff.tsx";
import "./editing.css";

const mostShown = 8;

/** The way back to a version. */
export type Back = {
  /** Why it isn't open now. */
  isOff?: string | null;
  press: (row: VersionRow, text: AgentText) => unknown;
};

/** @field back null: there is none here */
type VersionsProps = { edit: EditedText; back: Back | null };

export function Versions({ edit, back }: VersionsProps) {
  const { versions, changes, hasOlder } = edit;
  const chosen = useSignal<string | null>(null);
  const other = useSignal<string | null>(null);
  const isAll = useSignal(false);
  const items = versions.value;
  const shown = isAll.value ? items : items.slice(0, mostShown);
  const hidden = items.length - shown.length;
  // One that was chosen may have left the list since.
  const row = items.find(({ version }) => version === chosen.value);
  const otherRow = items.find(({ version }) => version === other.value && version !== chosen.value);
  const hasChanges = changes.value > 0;
  const older = async () => {
    if (hidden === 0) await edit.readOlder();
    isAll.value = true;
  };
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
            <TextPlusMinus before={edit.base.value} after={edit.mine.value} />
          </li>
        )}
        {shown.map(({ version, number, at, isSaved }) => (
          <li key={number} class={row?.version === version ? "on" : ""}>
            <button
              type="button"
              aria-pressed={row?.version === version}
              onClick={() => (chosen.value = row?.version === version ? null : version)}
            >
              <b>Version {number}</b>
              {isSaved && <span class="ink-2">as it is saved</span>}
              <span class="ink-3 small">{at === null ? "never changed here" : whenOf(Date.parse(at), now.value)}</span>
            </button>
          </li>
        ))}
      </ol>
      {(hidden > 0 || hasOlder.value) && (
        <Button kind="quiet" busyText="Reading" onPress={older}>
          {hidden > 0 ? `${hidden} older` : "Older ones"}
        </Button>
      )}
      {hasChanges && row === undefined && <TextDiff before={edit.base.value} after={edit.mine.value} />}
      {row !== undefined && (
        <Compared
          edit={edit}
          row={row}
          with={otherRow ?? null}
          onWith={(version) => (other.value = version)}
          back={back}
          onBack={() => (chosen.value = null)}
        />
      )}
    </>
  );
}

type ComparedProps = VersionsProps & {
  row: VersionRow;
  /** Null: with what stands in the fields. */
  with: VersionRow | null;
  onWith: (version: string | null) => void;
  onBack: () => void;
};

function Compared({ edit, row, with: otherRow, onWith, back, onBack }: ComparedProps) {
  const { version, number } = row;
  const other = otherRow?.version ?? null;
  const texts = useSignal<{ from: AgentText; to: AgentText | null } | null>(null);
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
  const goBack = async () => {
    if (texts.value !== null) await back?.press(row, texts.value.from);
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
            {edit.versions.value
              .filter((one) => one.version !== version)
              .map((one) => (
                <option key={one.version} value={one.version}>
                  version {one.number}
                </option>
              ))}
          </select>
        </label>
      </p>
      {problem.value !== null && <Problem error={problem.value} />}
      {texts.value !== null && (
        <>
          <TextDiff before={texts.value.from} after={texts.value.to ?? edit.mine.value} />
          {back !== null && (
            <Button busyText="Going back" isOff={(back.isOff ?? null) !== null} onPress={goBack}>
              Go back to version {number}
            </Button>
          )}
          {back?.isOff && <p class="ink-3 small">{back.isOff}</p>}
        </>
      )}
    </section>
  );
}

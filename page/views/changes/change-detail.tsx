/** Changes in full: who made them and why, their files, and what is to become of them. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { PlusMinus } from "../../parts/content/diff.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { SideTitle } from "../../parts/layout/side-view.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { countOf } from "../../words/amounts/money.ts";
import { personName, shortId } from "../../words/names/names.ts";
import { visible } from "../../words/text/visible-text.ts";
import { type Change, changeStates, folderName, isWaiting, linesOf } from "./change-words.ts";
import { ChangedFiles } from "./changed-files.tsx";
import { type ChangesStore, readDiff } from "./changes-store.ts";
import { CommentField } from "./comment-field.tsx";
import { DropDialog } from "./drop-dialog.tsx";
import { askedLine } from "../../words/runs/asked-line.ts";

type DetailProps = { change: Change; isIndex: boolean; store: ChangesStore };

export function ChangeDetail({ change, isIndex, store }: DetailProps) {
  const { id, state, folder } = change;
  const diff = useAnswer(id, (signal) => readDiff(id, signal));
  const isDropping = useSignal(false);
  const refusal = useSignal<unknown>(null);
  const readFor = useRef(change.updated_at);
  useEffect(() => {
    if (readFor.current === change.updated_at) return;
    // Also while the first one is out: it may be of before.
    readFor.current = change.updated_at;
    void diff.read();
  }, [change.updated_at]);
  const apply = async () => {
    refusal.value = null;
    try {
      await store.apply(id);
    } catch (error) {
      refusal.value = error;
    }
  };
  const { mark, word } = changeStates[state];
  return (
    <>
      <header class="shown-head change-head" tabIndex={-1}>
        <Mark kind={mark} />
        <SideTitle isIndex={isIndex}>{visible(folderName(folder))}</SideTitle>
        <span class="ink-3">{word}</span>
        {isWaiting(change) && (
          <div class="do">
            <Button kind="quiet" class="danger" keyName="D" onPress={() => void (isDropping.value = true)}>
              Drop
            </Button>
            <span class="away" />
            <Button kind="primary" keyName="A" busyText="Applying" onPress={apply}>
              Apply to {visible(folderName(folder))} <kbd aria-hidden="true">A</kbd>
            </Button>
          </div>
        )}
        <About change={change} />
      </header>
      <div class="shown-body">
        <Problem error={refusal.value} />
        <Became change={change} />
        {change.left_out.length > 0 && (
          <p class="left-out">
            Left out, since no change can hold them:{" "}
            {change.left_out.slice(0, 20).map((path, index) => (
              <>
                {index > 0 && ", "}
                <code>{visible(path)}</code>
              </>
            ))}
            {change.left_out.length > 20 && ` and ${change.left_out.length - 20} more`}
          </p>
        )}
        <Loading isThere={diff.data.value !== null} error={diff.problem.value} onRetry={diff.read} rows={8} />
        {diff.data.value !== null && state !== "dropped" && <ChangedFiles diff={diff.data.value} />}
        {isWaiting(change) && (
          <CommentField
            change={id}
            place={null}
            label={`Say something about all of it to ${change.companion === null ? "the run" : "the agent"}`}
          />
        )}
      </div>
      {isDropping.value && (
        <DropDialog change={change} onDrop={() => store.drop(id)} onClose={() => (isDropping.value = false)} />
      )}
    </>
  );
}

/** The run that made them, and what was asked. */
function About({ change: { run, companion, branch, base, files } }: { change: Change }) {
  const asked = useAnswer(run, (signal) =>
    answered(client.GET("/api/v1/runs/{id}", { params: { path: { id: run } }, signal })),
  );
  const row = asked.data.value;
  return (
    <div class="about">
      <p class="cut">
        <a href={`/runs/${run}`}>{row === null ? `Run ${shortId(run)}` : personName(row.persona)}</a>
        {companion !== null && " in a conversation"}
        {row !== null && <span class="ink-3"> {visible(askedLine(row.prompt))}</span>}
      </p>
      <p class="small ink-3">
        {countOf(files.length, "file")}, <PlusMinus of={linesOf({ files })} />, branch <code>{visible(branch)}</code>{" "}
        from <code>{base.slice(0, 8)}</code>
      </p>
    </div>
  );
}

function Became({ change: { state, folder } }: { change: Change }) {
  if (state === "applied")
    return (
      <p class="became">
        The files of <code>{visible(folder)}</code> were changed, and nothing was committed:{" "}
        <code>git -C {visible(folder)} diff</code>
      </p>
    );
  if (state === "dropped") return <p class="became">They were deleted, and their branch with them.</p>;
  if (state === "conflict")
    return (
      <p class="became">
        When they were to be applied, files of <code>{visible(folder)}</code> had changed meanwhile, so nothing was
        done. Put those files back and apply again, or say below what is to be done.
      </p>
    );
  return null;
}

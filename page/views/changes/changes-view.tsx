/** The changes of runs and agents in worktrees: to be read, commented on, applied or dropped. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { PlusMinus } from "../../parts/content/diff.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { SideView } from "../../parts/layout/side-view.tsx";
import { now } from "../../stores/browser/clock.ts";
import { ageOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import { type Change, changeStates, filesInWords, folderName, isWaiting, linesOf } from "./change-words.ts";
import { ChangeDetail } from "./change-detail.tsx";
import { ChangesStore } from "./changes-store.ts";
import "./changes.css";

export default function ChangesView({ params }: { params?: { rest?: string } }) {
  const store = useMemo(() => new ChangesStore(), []);
  useEffect(() => store.follow(), [store]);
  const all = store.changes.value;
  const id = params?.rest ?? "";
  // What is shown at first stays, whatever becomes of it.
  const first = useSignal<string | null>(null);
  if (first.value === null && all !== null) first.value = (all.find(isWaiting) ?? all[0])?.id ?? null;
  const isIndex = id === "";
  const shown = all?.find((change) => change.id === (isIndex ? first.value : id));
  const waiting = all?.filter(isWaiting) ?? [];
  const groups = [
    { title: "Wait for you", changes: waiting },
    { title: "Earlier", changes: all?.filter((change) => !isWaiting(change)) ?? [] },
  ];
  return (
    <SideView
      title="Changes"
      address="/changes"
      isIndex={isIndex}
      tab={shown === undefined || isIndex ? "Changes" : `Changes in ${folderName(shown.folder)}`}
      sum={waiting.length > 0 && `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} for you`}
      side={
        <>
          <Loading isThere={all !== null} error={store.problem.value} onRetry={() => store.read()} rows={6} lines={2} />
          {all?.length === 0 && isIndex && <NoChanges isAtSide />}
          {groups.map(({ title, changes }) =>
            changes.length === 0 ? null : (
              <section key={title} aria-label={title}>
                <h2 class="side-group">{title}</h2>
                <ul>
                  {changes.map((change) => (
                    <ChangeLink key={change.id} change={change} isShown={change.id === shown?.id} />
                  ))}
                </ul>
              </section>
            ),
          )}
        </>
      }
    >
      {shown && <ChangeDetail key={shown.id} change={shown} isIndex={isIndex} store={store} />}
      {all !== null && shown === undefined && (isIndex ? <NoChanges /> : <NoSuchChanges id={id} />)}
      {all === null && !isIndex && <h1 class="off">Changes</h1>}
    </SideView>
  );
}

function ChangeLink({ change, isShown }: { change: Change; isShown: boolean }) {
  const { mark, word } = changeStates[change.state];
  return (
    <li>
      <a class="side-row" href={`/changes/${change.id}`} aria-current={isShown ? "page" : undefined} data-row>
        <Mark kind={mark} label={word} />
        <b class="cut strong">{visible(folderName(change.folder))}</b>
        <PlusMinus of={linesOf(change)} />
        <span class="under">
          <bdi class="cut">{visible(filesInWords(change))}</bdi>
          <span class="gap" />
          <span>{ageOf(Date.parse(change.updated_at), Math.floor(now.value / 60_000) * 60_000)}</span>
        </span>
      </a>
    </li>
  );
}

/** The words stand beside the list where there is room, else in it. */
function NoChanges({ isAtSide = false }: { isAtSide?: boolean }) {
  return (
    <div class={isAtSide ? "no-changes at-side" : "no-changes"}>
      <Empty
        title="No run has changed anything in a worktree."
        command={'cortex request --folder ~/code --worktree "…"'}
      >
        With a worktree, a run works on its own copy of your folder. What it changes waits here until you apply it.
      </Empty>
    </div>
  );
}

function NoSuchChanges({ id }: { id: string }) {
  return (
    <div class="shown-body">
      <h1 class="shown-title">No such changes</h1>
      <p class="ink-2">
        Nothing is known of changes {visible(id.slice(0, 80))}. <a href="/changes">All changes</a>
      </p>
    </div>
  );
}

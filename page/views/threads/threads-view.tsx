/** The threads of a team and its agents, and beside each the forks that take a side question away. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useRef } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { useKeys } from "../../keys/keys.ts";
import { Empty } from "../../parts/loading/empty.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import {
  chooseWorkspace,
  chosenWorkspace,
  readWorkspaces,
  workspaces,
  workspacesProblem,
} from "../../stores/workspace/workspaces-store.ts";
import { ForkPane } from "./fork-pane.tsx";
import { NewThread } from "./thread-dialogs.tsx";
import { ThreadList } from "./thread-list.tsx";
import { ThreadPane } from "./thread-pane.tsx";
import { useFork, useTeam, useThread } from "./look/use-team.ts";
import "./posts/post.css";
import "./threads.css";

export default function ThreadsView({ params }: { params?: { rest?: string } }) {
  const { route } = useLocation();
  const [threadId = "", forkId = ""] = (params?.rest ?? "").split("/");
  const isIndex = threadId === "";
  useEffect(() => void readWorkspaces(), []);
  const all = workspaces.value;
  const chosen = all?.find(({ id }) => id === chosenWorkspace.value) ?? all?.[0];
  const named = useNamedWorkspace(threadId, chosen?.id ?? null);
  const workspace = all === null ? null : isIndex ? (chosen?.id ?? null) : named.workspace;
  const team = useTeam(workspace);
  const first = useFirst(workspace, team?.rows.rows.value?.[0]?.thread.id);
  const shownId = isIndex ? first : threadId;
  const opened = useThread(team, shownId);
  const forkPlace = useFork(opened?.look ?? null, forkId === "" ? null : forkId);
  const fork = opened?.look.thread.forks.value.find(({ id }) => id === forkId);
  const isMaking = useSignal(false);
  useEffect(() => {
    if (isIndex) document.title = "Threads · Cortex";
  }, [isIndex]);
  useKeys({
    s: () => focusField(),
    "+": () => (isMaking.value = team !== null),
  });
  const state = isIndex ? "is-index" : fork ? "has-fork" : "";
  return (
    <div class={`threads ${state}`}>
      {team ? (
        <ThreadList
          team={team}
          isIndex={isIndex}
          shown={opened?.look.thread ?? null}
          openFork={forkId === "" ? null : forkId}
          onNew={() => void (isMaking.value = true)}
          onChoose={() => route("/threads")}
        />
      ) : (
        <aside class="talks" aria-label="Threads">
          <header class="head">
            <h1 class="talks-title">Threads</h1>
          </header>
          <Loading
            isThere={all !== null}
            error={workspacesProblem.value ?? named.problem}
            onRetry={readWorkspaces}
            rows={6}
            lines={2}
          />
          {all?.length === 0 && (
            <Empty title="You are in no workspace." command={'cortex workspace init "Our team"'}>
              A workspace has people, agents and threads.
            </Empty>
          )}
        </aside>
      )}
      {opened ? (
        <ThreadPane
          key={opened.look.thread.id}
          look={opened.look}
          place={opened.place}
          isIndex={isIndex}
          openFork={fork?.id ?? null}
        />
      ) : (
        <section class="thread" aria-label="Thread">
          {team?.rows.rows.value?.length === 0 && (
            <Empty title="No threads yet." command={'cortex thread post --new "First questions" "@assistant …"'}>
              In a thread, people and agents talk about one thing. <kbd>+</kbd> begins one.
            </Empty>
          )}
        </section>
      )}
      {opened && fork && forkPlace && (
        <ForkPane key={fork.id} look={opened.look} fork={fork} place={forkPlace} parent={opened.place} />
      )}
      {isMaking.value && team && (
        <NewThread team={team} onMade={({ id }) => route(`/threads/${id}`)} onClose={() => (isMaking.value = false)} />
      )}
    </div>
  );
}

/**
 * The workspace of the thread that the address names; one that was looked at is chosen from then on.
 * @param listed whose threads are shown where the address names none
 */
function useNamedWorkspace(threadId: string, listed: string | null): { workspace: string | null; problem: unknown } {
  const known = useRef(new Map<string, string>());
  const { data, problem } = useAnswer(threadId, async (signal) => {
    if (threadId === "" || known.current.has(threadId)) return null;
    const thread = await answered(client.GET("/api/v1/threads/{id}", { params: { path: { id: threadId } }, signal }));
    known.current.set(threadId, thread.workspace_id);
    chooseWorkspace(thread.workspace_id);
    return thread;
  });
  const last = useRef<string | null>(null);
  const found = data.value?.workspace_id ?? known.current.get(threadId) ?? null;
  // Until it is known whose the next thread is, it is taken for one of the same workspace.
  if (found !== null) last.current = found;
  else if (threadId === "") last.current = listed;
  return { workspace: found ?? last.current ?? chosenWorkspace.value, problem: problem.value };
}

/** Keeps what is shown at first, whatever is said elsewhere meanwhile. */
function useFirst(workspace: string | null, newest: string | undefined): string | null {
  const kept = useRef<{ workspace: string | null; id: string | null }>({ workspace: null, id: null });
  if (kept.current.workspace !== workspace) kept.current = { workspace, id: null };
  kept.current.id ??= newest ?? null;
  return kept.current.id;
}

/** The field where one writes: of the fork, where one is open. */
function focusField(): void {
  const fields = document.querySelectorAll<HTMLTextAreaElement>(".threads .compose textarea");
  const shown = [...fields].filter((field) => field.offsetParent !== null);
  shown.at(-1)?.focus();
}

/** A thread: who is in it, what was said, and where one writes. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useMemo } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import type { Message, PlaceStore } from "../../stores/workspace/place-store.ts";
import { visible } from "../../words/text/visible-text.ts";
import { Face, type FaceOf } from "../../parts/badges/face.tsx";
import { EditThread, NewFork } from "./thread-dialogs.tsx";
import { PinnedSummary } from "./pinned-summary.tsx";
import { MessageLog } from "./posts/message-log.tsx";
import { PlaceComposer } from "./compose/place-composer.tsx";
import { authorFace, type Look, type PostActions } from "./look/thread-look.ts";
import "./pane.css";

type ThreadPaneProps = { look: Look; place: PlaceStore; isIndex: boolean; openFork: string | null };

export function ThreadPane({ look, place, isIndex, openFork }: ThreadPaneProps) {
  const { route } = useLocation();
  const answers = useSignal<Message | null>(null);
  const forkAt = useSignal<Message | null>(null);
  const isEditing = useSignal(false);
  const thread = look.thread.thread.value;
  // Until its record is there, the list has its title.
  const row = look.rows.rows.value?.find((one) => one.thread.id === look.thread.id);
  const title = visible(thread?.title ?? row?.thread.title ?? "");
  // The address names the list, the fork, or the thread itself.
  const Title = isIndex || openFork !== null ? "h2" : "h1";
  useEffect(() => {
    document.title = isIndex || title === "" ? "Threads · Cortex" : `${title} · Cortex`;
  }, [title, isIndex]);
  const actions = useMemo<PostActions>(
    () => ({
      answer: (message) => (answers.value = message),
      fork: (message) => (forkAt.value = message),
      open: ({ thread_id, id }) => route(`/threads/${thread_id}/${id}`),
      openFork,
    }),
    [look, openFork],
  );
  return (
    <section class="thread" aria-label="Thread">
      <header class="thead">
        <a class="back" href="/threads">
          Threads
        </a>
        <Title class="cut">{title === "" ? <span class="off">Thread</span> : <bdi>{title}</bdi>}</Title>
        <span class="gap" />
        <Faces look={look} place={place} />
        {thread && (
          <Button class="icon" kind="quiet" label="Edit the thread" onPress={() => void (isEditing.value = true)}>
            <Icon name="more" />
          </Button>
        )}
      </header>
      <Problem error={look.thread.problem.value} onRetry={() => look.thread.read()} />
      {look.thread.summary.value && <PinnedSummary message={look.thread.summary.value} />}
      <MessageLog
        look={look}
        place={place}
        actions={actions}
        empty={
          <Empty title="Nothing was said yet.">
            Write below. <code>@</code> and a name brings an agent in; a fork takes a side question away.
          </Empty>
        }
      />
      <PlaceComposer look={look} place={place} label="Write to the thread" answers={answers} />
      {forkAt.value && (
        <NewFork
          look={look}
          message={forkAt.value}
          onMade={(fork) => actions.open(fork)}
          onClose={() => (forkAt.value = null)}
        />
      )}
      {isEditing.value && thread && (
        <EditThread look={look} thread={thread} onClose={() => (isEditing.value = false)} />
      )}
    </section>
  );
}

const mostFaces = 8;

/** The faces of those who have said something. */
function Faces({ look, place }: { look: Look; place: PlaceStore }) {
  const known = new Map<string, { name: string; isAgent: boolean; of: FaceOf }>();
  for (const message of place.messages.value ?? []) {
    const { author_type, author_name, author_id } = message;
    if (author_type === "system") continue;
    known.set(`${author_type} ${author_id ?? author_name}`, {
      name: visible(author_name),
      isAgent: author_type === "agent",
      of: authorFace(look.team, message),
    });
  }
  const all = [...known.values()].toSorted((one, other) => Number(one.isAgent) - Number(other.isAgent));
  const shown = all.slice(0, mostFaces);
  if (shown.length === 0) return null;
  const more = all.length - shown.length;
  return (
    <span
      class="faces"
      role="img"
      aria-label={all.map(({ name, isAgent }) => (isAgent ? `${name}, agent` : name)).join("; ")}
    >
      {shown.map(({ name, of }, index) => (
        <Face key={index} name={name} of={of} isSmall />
      ))}
      {more > 0 && <span class="ink-3 small">+{more}</span>}
    </span>
  );
}

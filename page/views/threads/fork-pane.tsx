/** A fork, beside its thread: what it began with, what was said, and its conclusion. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useMemo } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import type { Message, PlaceStore } from "../../stores/workspace/place-store.ts";
import type { Fork } from "../../stores/workspace/thread-store.ts";
import { visible } from "../../words/text/visible-text.ts";
import { Face } from "../../parts/badges/face.tsx";
import { MessageLog } from "./posts/message-log.tsx";
import { PlaceComposer } from "./compose/place-composer.tsx";
import { ResolvePanel } from "./resolve-panel.tsx";
import { authorFace, type Look, type PostActions } from "./look/thread-look.ts";
import "./pane.css";
import "./fork-pane.css";

/** As much of the first message as is quoted, in characters. */
const quoted = 200;

type ForkPaneProps = { look: Look; fork: Fork; place: PlaceStore; parent: PlaceStore };

export function ForkPane({ look, fork, place, parent }: ForkPaneProps) {
  const { route } = useLocation();
  const answers = useSignal<Message | null>(null);
  const close = () => route(`/threads/${fork.thread_id}`);
  const actions = useMemo<PostActions>(
    () => ({
      answer: (message) => (answers.value = message),
      fork: undefined,
      open: ({ thread_id, id }) => route(`/threads/${thread_id}/${id}`),
      openFork: null,
    }),
    [look],
  );
  const first = parent.messages.value?.find(({ id }) => id === fork.message_id);
  const title = visible(fork.description);
  const hasEnded = fork.status === "resolved" || fork.status === "abandoned";
  return (
    <section class="fork" aria-label={`Fork: ${title}`}>
      <header class="thead">
        <Icon name="fork" />
        <h1 class="cut" title={title}>
          <bdi>{title}</bdi>
        </h1>
        <span class="gap" />
        <Button class="icon" kind="quiet" label="Close the fork" onPress={close}>
          <Icon name="close" />
        </Button>
      </header>
      <MessageLog
        look={look}
        place={place}
        actions={actions}
        first={
          first && (
            <div class="post quote">
              <Face name={visible(first.author_name)} of={authorFace(look.team, first)} isSmall />
              <p class="ink-3">
                <bdi>{visible(first.author_name)}</bdi>, in the thread: “
                <bdi>{visible(first.text.slice(0, quoted))}</bdi>
                {first.text.length > quoted && "…"}”
              </p>
            </div>
          )
        }
        empty={<p class="ink-3 nothing">Nothing was said here yet.</p>}
      />
      {!hasEnded && <PlaceComposer look={look} place={place} label="Write to the fork" answers={answers} />}
      <ResolvePanel look={look} fork={fork} />
    </section>
  );
}

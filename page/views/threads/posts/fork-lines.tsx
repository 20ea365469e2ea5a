/** The forks that begin at a message. The one that is open beside the thread has a line that leads to it. */
import { Icon } from "../../../parts/buttons/icon.tsx";
import type { Message } from "../../../stores/workspace/place-store.ts";
import type { Fork } from "../../../stores/workspace/thread-store.ts";
import { countOf } from "../../../words/amounts/money.ts";
import { visible } from "../../../words/text/visible-text.ts";
import type { Look, PostActions } from "../look/thread-look.ts";

const forkWords: Record<Fork["status"], string> = {
  open: "open",
  resolving: "its conclusion is being written",
  resolved: "resolved",
  abandoned: "given up",
};

const wordsOf = ({ status, draft }: Fork) =>
  status === "resolving" && draft !== null ? "its conclusion is drafted" : forkWords[status];

export function ForkLines({ message, look, actions }: { message: Message; look: Look; actions: PostActions }) {
  const forks = look.thread.forks.value.filter(({ message_id }) => message_id === message.id);
  if (forks.length === 0) return null;
  const counts = look.rows.rows.value?.find(({ thread }) => thread.id === look.thread.id)?.forks ?? [];
  return (
    <ul>
      {forks.map((fork) => {
        const count = counts.find(({ id }) => id === fork.id)?.messages;
        return (
          <li key={fork.id} class={fork.id === actions.openFork ? "forkline is-open" : "forkline"}>
            <a href={`/threads/${fork.thread_id}/${fork.id}`}>
              <Icon name="fork" />
              <b class="cut">
                <bdi>{visible(fork.description)}</bdi>
              </b>
              <span class="ink-3">
                {count !== undefined && count > 0 ? `${countOf(count, "message")}, ` : ""}
                {wordsOf(fork)}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

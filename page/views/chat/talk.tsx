/** One conversation: who it is with, what was said, and where one writes. */
import { useEffect, useMemo } from "preact/hooks";
import { Problem } from "../../parts/loading/problem.tsx";
import { ConversationStore } from "../../stores/agents/conversation-store.ts";
import { Compose } from "./compose.tsx";
import { TalkHead } from "./talk-head.tsx";
import { TalkLog } from "./talk-log.tsx";
import { nameOf } from "./chat-words.ts";

export function Talk({ id, isIndex }: { id: string; isIndex: boolean }) {
  const store = useMemo(() => new ConversationStore(id), [id]);
  useEffect(() => store.follow(), [store]);
  const agent = store.agent.value;
  const isWorking = store.turn.value !== null;
  const name = agent === null ? "the agent" : nameOf(agent);
  // Escape ends its turn from anywhere in the conversation.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isWorking || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    void store.stop().catch((error: unknown) => (store.problem.value = error));
  };
  return (
    <section
      class="talk"
      aria-label={agent === null ? "Conversation" : `Conversation with ${name}`}
      onKeyDown={onKeyDown}
    >
      <TalkHead store={store} isIndex={isIndex} />
      <Problem error={store.problem.value} onRetry={() => store.read()} />
      <p class="off" role="status">
        {isWorking ? `${name} is at work` : ""}
      </p>
      <TalkLog store={store} name={name} />
      {agent !== null && (
        <Compose
          of={`chat ${id}`}
          name={name}
          isWorking={isWorking}
          onSend={(text, files, isNow) => store.send(text, files, isNow)}
          onStop={() => store.stop()}
        />
      )}
    </section>
  );
}

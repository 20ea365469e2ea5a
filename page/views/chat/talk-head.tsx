/** Above a conversation: who it is with, how much of it the model still has before it, what today has cost. */
import { useSignal } from "@preact/signals";
import { answered, client } from "../../api/client.ts";
import { Face } from "../../parts/badges/face.tsx";
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import type { ConversationStore } from "../../stores/agents/conversation-store.ts";
import { countOf, digits, rowMoney } from "../../words/amounts/money.ts";
import { faceOf, nameOf } from "./chat-words.ts";
import "./talk-head.css";

export function TalkHead({ store, isIndex }: { store: ConversationStore; isIndex: boolean }) {
  const agent = store.agent.value;
  const isMore = useSignal(false);
  const Title = isIndex ? "h2" : "h1";
  if (agent === null) return <header class="thead">{!isIndex && <h1 class="off">Chat</h1>}</header>;
  const name = nameOf(agent);
  const tasks = store.tasks.value.filter(({ status }) => status === "running" || status === "waiting").length;
  return (
    <>
      <header class="thead">
        <a class="btn quiet icon talk-back" href="/chat" aria-label="Back to all">
          <Icon name="back" />
        </a>
        <Face name={name} of={faceOf(agent)} />
        <Title class="cut">{name}</Title>
        <span class="is-agent">agent</span>
        <span class="ink-3 no-phone">
          {digits(agent.context_tokens)} of {countOf(agent.context_window, "token")}
        </span>
        <span class="gap" />
        <a class="ink-3 plain" href="/cost">
          {rowMoney(agent.known_spent_today_usd, agent.spent_today_usd === null)}
          <span class="no-phone"> today</span>
        </a>
        {tasks > 0 && <span class="no-phone">{countOf(tasks, "task")}</span>}
        <button
          type="button"
          class="btn quiet icon"
          aria-label="More: summary, new conversation"
          aria-expanded={isMore.value}
          onClick={() => (isMore.value = !isMore.value)}
        >
          <Icon name="more" />
        </button>
      </header>
      {isMore.value && <More store={store} name={name} />}
    </>
  );
}

function More({ store, name }: { store: ConversationStore; name: string }) {
  const isAsking = useSignal(false);
  const params = { params: { path: { id: store.id } } };
  return (
    <div class="talk-more btns">
      <Button
        kind="quiet"
        busyText="Summarising"
        onPress={async () => {
          await answered(client.POST("/api/v1/companions/{id}/compact", params));
          await store.read();
        }}
      >
        Go on by a summary
      </Button>
      <Button kind="quiet" onPress={() => (isAsking.value = true)}>
        Begin anew
      </Button>
      <a class="btn quiet" href="/agents">
        Its persona and memory
      </a>
      {isAsking.value && (
        <Dialog
          title={`Begin a new conversation with ${name}?`}
          onClose={() => (isAsking.value = false)}
          actions={
            <Button
              kind="danger"
              busyText="Beginning anew"
              onPress={async () => {
                await answered(client.POST("/api/v1/companions/{id}/reset", params));
                isAsking.value = false;
                await store.read();
              }}
            >
              Begin anew
            </Button>
          }
        >
          <p>What was said stays in its history. What waits to be said is dropped, and what it does now ends.</p>
        </Dialog>
      )}
    </div>
  );
}

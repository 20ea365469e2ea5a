/** A message that waits until the agent has finished what it does. */
import { Button } from "../../parts/buttons/button.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import type { ConversationStore } from "../../stores/agents/conversation-store.ts";
import type { WaitingMessage } from "../../stores/agents/waiting-messages.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import { clockOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import "./message.css";

type WaitingMessageProps = { item: WaitingMessage; name: string; isWorking: boolean; store: ConversationStore };

export function WaitingMessage({ item, name, isWorking, store }: WaitingMessageProps) {
  const isTold = item.mode === "steer";
  const word = !isWorking
    ? "On its way"
    : isTold
      ? `${name} hears it with its next step`
      : `Waits until ${name} has finished`;
  return (
    <div class="msg me queued" data-key={item.id}>
      <p class="by">
        You <time>{clockOf(item.ts)}</time>
      </p>
      <div class="tx" dir="auto">
        <p class="said">{visible(item.text)}</p>
        <p class="did">
          <Mark kind="waits" />
          <span class="wait">{word}</span>
          {isWorking && !isTold && (
            <>
              <Button kind="quiet" busyText="Saying" onPress={() => store.sayNow(item.id)}>
                Say it now
              </Button>
              <Button kind="quiet" busyText="Taking back" onPress={() => takeBack(item, store)}>
                Take back
              </Button>
            </>
          )}
        </p>
      </div>
    </div>
  );
}

/** Its text is a draft again, in front of what is one already. */
async function takeBack({ id, text }: WaitingMessage, store: ConversationStore): Promise<void> {
  await store.takeBack(id);
  const draft = draftOf(`chat ${store.id}`);
  draft.value = draft.value === "" ? text : `${text}\n${draft.value}`;
}

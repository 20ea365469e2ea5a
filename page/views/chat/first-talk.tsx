/** Where nobody has been spoken to yet: the first thing that is said makes the main agent. */
import { useEffect, useRef } from "preact/hooks";
import { csrfToken } from "../../api/session.ts";
import { ApiError, problemOf } from "../../api/api-error.ts";
import { Empty } from "../../parts/loading/empty.tsx";
import { companions, readCompanions } from "../../stores/agents/companions-store.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import { Compose } from "./compose.tsx";
import "./talk-log.css";

const place = "chat first";

export function FirstTalk() {
  const sent = useRef("");
  const say = (text: string, attachments: { id: string }[]) => {
    sent.current = text;
    return sayFirst(text, attachments);
  };
  useEffect(() => () => passOn(sent.current), []);
  return (
    <section class="talk is-first" aria-label="First conversation">
      <div class="log">
        <Empty title="Say something to your main agent">
          It works on your journal, keeps notes, and answers here. What is said stays on this machine.
        </Empty>
      </div>
      <Compose of={place} name="your main agent" isWorking={false} onSend={say} />
    </section>
  );
}

/** Hands on the text that was typed behind the first message, to the conversation that it has begun. */
function passOn(sent: string): void {
  const main = companions.value?.find(({ kind }) => kind === "main");
  const draft = draftOf(place);
  const rest = draft.value.trim();
  // What is still on its way is cleared when it has been sent.
  if (main === undefined || rest === "" || rest === sent) return;
  draftOf(`chat ${main.agent_id}`).value = draft.value;
  draft.value = "";
}

/** By the channel of the page: no agent has an address of its own yet. */
async function sayFirst(text: string, attachments: { id: string }[]): Promise<void> {
  const response = await fetch("/v1/messages", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": await csrfToken() },
    body: JSON.stringify({ text, id: `page-${crypto.randomUUID()}`, ...(attachments.length > 0 && { attachments }) }),
  });
  if (!response.ok) throw new ApiError(response.status, problemOf(await response.json().catch(() => null)));
  void readCompanions();
}

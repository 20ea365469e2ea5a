/** Where nobody has been spoken to yet: the first thing that is said makes the main agent. */
import { csrfToken } from "../../api/session.ts";
import { ApiError, problemOf } from "../../api/api-error.ts";
import { Empty } from "../../parts/loading/empty.tsx";
import { readCompanions } from "../../stores/agents/companions-store.ts";
import { Compose } from "./compose.tsx";
import "./talk-log.css";

export function FirstTalk() {
  return (
    <section class="talk is-first" aria-label="First conversation">
      <div class="log">
        <Empty title="Say something to your main agent">
          It works on your journal, keeps notes, and answers here. What is said stays on this machine.
        </Empty>
      </div>
      <Compose of="chat first" name="your main agent" isWorking={false} onSend={sayFirst} />
    </section>
  );
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

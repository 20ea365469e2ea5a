/** Talk with a long-lived agent: who there is at the left, and the conversation that was chosen beside it. */
import { useEffect } from "preact/hooks";
import { Loading } from "../../parts/loading/loading.tsx";
import {
  companions,
  companionsProblem,
  followCompanions,
  readCompanions,
} from "../../stores/agents/companions-store.ts";
import { nameOf } from "./chat-words.ts";
import { FirstTalk } from "./first-talk.tsx";
import { Talk } from "./talk.tsx";
import { TalkList } from "./talk-list.tsx";
import "./chat.css";

export default function ChatView({ params }: { params?: { rest?: string } }) {
  useEffect(followCompanions, []);
  const all = companions.value;
  const id = params?.rest ?? "";
  const isIndex = id === "";
  const main = all?.find(({ kind }) => kind === "main") ?? all?.[0];
  const shown = isIndex ? main?.agent_id : id;
  const known = all?.find(({ agent_id }) => agent_id === shown);
  const tab = known === undefined || isIndex ? "Chat" : nameOf(known);
  useEffect(() => {
    document.title = `${tab} · Cortex`;
  }, [tab]);
  return (
    <div class={isIndex ? "chat is-index" : "chat"}>
      <aside class="talks" aria-label="Conversations">
        <header class="head">{isIndex ? <h1 class="title">Chat</h1> : <p class="title">Chat</p>}</header>
        <Loading isThere={all !== null} error={companionsProblem.value} onRetry={readCompanions} rows={6} lines={2} />
        {all !== null && all.length > 0 && <TalkList all={all} shown={shown} />}
        {all?.length === 0 && isIndex && <p class="talks-none ink-3">Nobody has been spoken to yet.</p>}
      </aside>
      {shown !== undefined && <Talk key={shown} id={shown} isIndex={isIndex} />}
      {all?.length === 0 && isIndex && <FirstTalk />}
    </div>
  );
}

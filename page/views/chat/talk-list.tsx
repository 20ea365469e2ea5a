/** The long-lived agents: those of the owner, and those of others who have written. */
import { Face } from "../../parts/badges/face.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { Companion } from "../../stores/agents/companions-store.ts";
import { firstLine } from "../../words/names/names.ts";
import { ageOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import { channelOf, faceOf, nameOf } from "./chat-words.ts";
import "./talk-list.css";

export function TalkList({ all, shown }: { all: readonly Companion[]; shown: string | undefined }) {
  const own = all.filter(({ kind }) => kind !== "user");
  const others = all.filter(({ kind }) => kind === "user");
  return (
    <>
      <ul>
        {own.map((agent) => (
          <TalkLink key={agent.agent_id} agent={agent} isShown={agent.agent_id === shown} />
        ))}
      </ul>
      {others.length > 0 && (
        <>
          <h2 class="talks-group">Others who have written</h2>
          <ul>
            {others.map((agent) => (
              <TalkLink key={agent.agent_id} agent={agent} isShown={agent.agent_id === shown} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function TalkLink({ agent, isShown }: { agent: Companion; isShown: boolean }) {
  const name = nameOf(agent);
  const channel = channelOf(agent);
  const ts = agent.last?.ts ?? agent.updated;
  return (
    <li>
      <a class="plain" href={`/chat/${agent.agent_id}`} aria-current={isShown ? "page" : undefined} data-row>
        <Face name={name} of={faceOf(agent)} />
        <span class="t">
          <b class="cut">{name}</b>
          <span class="cut">
            {channel !== null && `${channel}: `}
            {agent.state === "working" ? "at work" : visible(firstLine(agent.last?.text ?? "nothing said yet"))}
          </span>
        </span>
        <span class="r">
          <span class="ink-3">{agent.state === "working" ? "now" : ageOf(ts, now.value)}</span>
          {agent.state === "working" && <Mark kind="working" label="Working" />}
          {agent.state === "waiting" && <Mark kind="waits" label="Waits for its turn" />}
        </span>
      </a>
    </li>
  );
}

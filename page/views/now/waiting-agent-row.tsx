/** A long-lived agent whose messages wait for its next turn: a conversation that is about to go on. */
import { useSignal } from "@preact/signals";
import { Row } from "../../parts/list/row.tsx";
import { SayField } from "../../parts/requests/say-field.tsx";
import { now } from "../../stores/browser/clock.ts";
import { sayToCompanion } from "../../stores/agents/companions-store.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { chatAddress } from "../../words/navigation/addresses.ts";
import { waitOf } from "../../words/amounts/durations.ts";
import { countOf } from "../../words/amounts/money.ts";
import { firstLine, personName } from "../../words/names/names.ts";
import type { WaitingAgent } from "./now-parts.ts";

export function WaitingAgentRow({ item: agent, isGone }: Kept<WaitingAgent>) {
  const isOpen = useSignal(false);
  const who = firstLine(agent.called ?? "") || personName(agent.name);
  return (
    <Row
      mark={isGone ? "stopped" : "waits"}
      state={isGone ? "Goes on" : "Waits for its turn"}
      who={who}
      from="long-lived agent"
      cost=""
      age={waitOf(now.value - agent.since)}
      isOpen={isOpen.value}
      isGone={isGone}
      onToggle={() => {
        isOpen.value = !isOpen.value;
      }}
      opened={
        <SayField
          of={`chat ${agent.id}`}
          label={`Say something to ${who}`}
          onSend={(text) => sayToCompanion(agent.id, text)}
        />
      }
    >
      <a class="say cut" href={chatAddress(agent.id)}>
        {countOf(agent.messages, "message waits", "messages wait")}
      </a>
      <span class="sub">{isGone ? "its turn has begun" : "its next turn answers"}</span>
    </Row>
  );
}

/** A run at work, or one that waits for a place: what it does at this moment, since when, and with what. */
import { useSignal } from "@preact/signals";
import { Button } from "../../parts/buttons/button.tsx";
import { Row } from "../../parts/list/row.tsx";
import { SayField } from "../../parts/requests/say-field.tsx";
import { now } from "../../stores/browser/clock.ts";
import { companionOf, sayToCompanion } from "../../stores/agents/companions-store.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { sayToRun, stopRun } from "../../stores/runs/run-actions.ts";
import { spanOf } from "../../words/amounts/durations.ts";
import { runAddress } from "../../words/navigation/addresses.ts";
import { countOf, rowMoney } from "../../words/amounts/money.ts";
import { firstLine, lastLine } from "../../words/names/names.ts";
import { runStates } from "../../words/runs/run-states.ts";
import { visible } from "../../words/text/visible-text.ts";
import { addressOfRun, fromOf, whoOf } from "./who.tsx";

export function WorkingRow({ item: run, isGone }: Kept<RunRow>) {
  const isOpen = useSignal(false);
  const wantsToSay = useSignal(false);
  const open = () => {
    isOpen.value = !isOpen.value;
    wantsToSay.value = false;
  };
  const say = () => {
    isOpen.value = true;
    wantsToSay.value = true;
  };
  const stop = () => stopRun(run.id);
  const { mark, word } = runStates[run.state];
  const companion = companionOf(run.agent);
  // A task's turn hears its agent alone.
  const canHear = !isGone && run.state !== "queued" && (run.agent === null || companion !== undefined);
  return (
    <Row
      mark={isGone ? "stopped" : mark}
      state={isGone ? "Ended" : word}
      who={whoOf(run)}
      from={fromOf(run)}
      cost={rowMoney(run.cost_usd, run.cost_is_estimate)}
      age={<Since at={run.started_at ?? run.requested_at} until={run.ended_at} />}
      isOpen={isOpen.value}
      onToggle={open}
      isGone={isGone}
      actions={
        !isGone && (
          <>
            {canHear && (
              <Button kind="quiet" keyName="S" onPress={say}>
                Say
              </Button>
            )}
            <Button kind="quiet" keyName="X" busyText="Stopping" onPress={stop}>
              Stop
            </Button>
          </>
        )
      }
      opened={
        <>
          {run.last_text !== null && <p class="last-words">{visible(run.last_text)}</p>}
          {canHear && (
            <SayField
              of={companion ? `chat ${companion.agent_id}` : `run ${run.id}`}
              label={`Say something to ${whoOf(run)}`}
              onSend={(text) => (companion ? sayToCompanion(companion.agent_id, text) : sayToRun(run.id, text))}
              hasFocus={wantsToSay.value}
            />
          )}
          {!isGone && (
            <p class="btns acts-open">
              <Button busyText="Stopping" onPress={stop}>
                Stop
              </Button>
            </p>
          )}
          {companion && (
            <p>
              <a class="small" href={runAddress(run.id)}>
                All of the run
              </a>
            </p>
          )}
        </>
      }
    >
      <a class="say cut" href={addressOfRun(run)}>
        {firstLine(run.prompt) || "(no text)"}
      </a>
      <Doing run={run} isGone={isGone} messages={companion?.waiting ?? 0} />
    </Row>
  );
}

/** The second line: seconds come first, in a column of their own, so that nothing shifts as they count. */
function Doing({ run, isGone, messages }: { run: RunRow; isGone: boolean; messages: number }) {
  if (isGone) return <span class="sub">ended a moment ago</span>;
  if (run.state === "queued") return <span class="sub">waits for a place</span>;
  const { doing } = run;
  if (doing === null) return <span class="sub">begins</span>;
  return (
    <span class="sub">
      <span class="secs">
        <Since at={doing.since} until={null} />
      </span>
      {doing.kind === "tool" && <code>{firstLine(doing.tool ?? "") || "tool"}</code>}
      {doing.kind === "tool" && <span class="cut">{firstLine(doing.argument ?? "")}</span>}
      {doing.kind === "waiting" && <span>waits for you</span>}
      {doing.kind === "model" && <span>{run.last_text === null ? "thinks about it" : "writes"}</span>}
      {doing.kind === "model" && run.last_text !== null && <span class="cut">“{lastLine(run.last_text)}”</span>}
      {messages > 0 && <span class="wait-count">{countOf(messages, "message waits", "messages wait")}</span>}
    </span>
  );
}

/** Time that passes. */
export function Since({ at, until }: { at: string; until: string | null }) {
  const end = until === null ? now.value : Date.parse(until);
  return <>{spanOf(end - Date.parse(at))}</>;
}

/** A run at work, or one that waits for a place: what it does at this moment, since when, and with what. */
import { Button } from "../../parts/buttons/button.tsx";
import { Row } from "../../parts/list/row.tsx";
import { now } from "../../stores/browser/clock.ts";
import { companionOf } from "../../stores/agents/companions-store.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { stopRun } from "../../stores/runs/run-actions.ts";
import { spanOf } from "../../words/amounts/durations.ts";
import { runAddress } from "../../words/navigation/addresses.ts";
import { countOf, rowMoney } from "../../words/amounts/money.ts";
import { firstLine, lastLine } from "../../words/names/names.ts";
import { runStates } from "../../words/runs/run-states.ts";
import { SayButton } from "./say-button.tsx";
import { hearerOf, Talk } from "./talk.tsx";
import { useOpened } from "./use-opened.ts";
import { addressOfRun, fromOf, whoOf } from "./who.tsx";
import { askedLine } from "../../words/runs/asked-line.ts";

export function WorkingRow({ item: run, isGone }: Kept<RunRow>) {
  const { isOpen, wantsToSay, toggle, say } = useOpened();
  const stop = () => stopRun(run.id);
  const { mark, word } = runStates[run.state];
  const companion = companionOf(run.agent);
  return (
    <Row
      mark={isGone ? "stopped" : mark}
      state={isGone ? "Ended" : word}
      who={whoOf(run)}
      from={fromOf(run)}
      cost={rowMoney(run.cost_usd, run.cost_is_estimate)}
      age={<Since at={run.started_at ?? run.requested_at} until={run.ended_at} />}
      isOpen={isOpen}
      onToggle={toggle}
      isGone={isGone}
      actions={
        !isGone && (
          <>
            {hearerOf(run) && <SayButton onPress={say} />}
            <Button kind="quiet" keyName="X" busyText="Stopping" onPress={stop}>
              Stop
            </Button>
          </>
        )
      }
      opened={
        <>
          <Talk run={run} isGone={isGone} isWanted={wantsToSay} />
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
        {askedLine(run.prompt) || "(no text)"}
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

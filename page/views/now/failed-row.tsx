/** A run that has failed: what happened, as a sentence. It leaves when it was run again well, or was put away. */
import { Button } from "../../parts/buttons/button.tsx";
import { Row } from "../../parts/list/row.tsx";
import { now } from "../../stores/browser/clock.ts";
import { putAway, type RunRow } from "../../stores/now/now-store.ts";
import { runAgain } from "../../stores/runs/run-actions.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { rowMoney } from "../../words/amounts/money.ts";
import { failureDetail, failureSentence } from "../../words/runs/reasons.ts";
import { ageOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import { SayButton } from "./say-button.tsx";
import { hearerOf, Talk } from "./talk.tsx";
import { useOpened } from "./use-opened.ts";
import { addressOfRun, fromOf, whoOf } from "./who.tsx";
import { askedLine } from "../../words/runs/asked-line.ts";

export function FailedRow({ item: run, isGone }: Kept<RunRow>) {
  const { isOpen, wantsToSay, toggle, say } = useOpened();
  const again = () => runAgain(run.id);
  const away = () => putAway(run.id);
  const runAgainButton = run.agent === null && (
    <Button kind="quiet" class="keep" keyName="R" busyText="Starting" onPress={again}>
      Run again
    </Button>
  );
  return (
    <Row
      mark="failed"
      state="Failed"
      who={whoOf(run)}
      from={fromOf(run)}
      cost={rowMoney(run.cost_usd, run.cost_is_estimate)}
      age={ageOf(Date.parse(run.ended_at ?? run.requested_at), now.value)}
      isOpen={isOpen}
      onToggle={toggle}
      isGone={isGone}
      actions={
        !isGone && (
          <>
            {hearerOf(run) && <SayButton onPress={say} />}
            {runAgainButton}
          </>
        )
      }
      opened={
        <>
          {failureDetail(run) !== "" && <pre class="out">{visible(run.error ?? "")}</pre>}
          <Talk run={run} isGone={isGone} isWanted={wantsToSay} />
          {!isGone && (
            <p class="btns">
              <Button busyText="Putting away" onPress={away}>
                Put away
              </Button>
              <span class="acts-open">{runAgainButton}</span>
            </p>
          )}
        </>
      }
    >
      <a class="say cut" href={addressOfRun(run)}>
        {run.state === "orphaned" ? "Broken off: nobody goes on with it" : failureSentence(run)}
      </a>
      <span class="sub">
        <span class="cut">{askedLine(run.prompt)}</span>
      </span>
    </Row>
  );
}

/** A run that has failed: what happened, as a sentence. It leaves when it was run again well, or was put away. */
import { useSignal } from "@preact/signals";
import { Button } from "../../parts/buttons/button.tsx";
import { Row } from "../../parts/list/row.tsx";
import { now } from "../../stores/browser/clock.ts";
import { putAway, type RunRow } from "../../stores/now/now-store.ts";
import { runAgain } from "../../stores/runs/run-actions.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { rowMoney } from "../../words/amounts/money.ts";
import { firstLine } from "../../words/names/names.ts";
import { failureDetail, failureSentence } from "../../words/runs/reasons.ts";
import { ageOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import { addressOfRun, fromOf, whoOf } from "./who.tsx";

export function FailedRow({ item: run, isGone }: Kept<RunRow>) {
  const isOpen = useSignal(false);
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
      isOpen={isOpen.value}
      onToggle={() => {
        isOpen.value = !isOpen.value;
      }}
      isGone={isGone}
      actions={!isGone && runAgainButton}
      opened={
        <>
          {failureDetail(run) !== "" && <pre class="out">{visible(run.error ?? "")}</pre>}
          {run.last_text !== null && <p class="last-words">{visible(run.last_text)}</p>}
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
        <span class="cut">{firstLine(run.prompt)}</span>
      </span>
    </Row>
  );
}

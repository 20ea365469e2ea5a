/** The work done today, in one line: a run, or all runs of a schedule with a tick each. */
import { useSignal } from "@preact/signals";
import { Button } from "../../parts/buttons/button.tsx";
import { Row } from "../../parts/list/row.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { runAgain } from "../../stores/runs/run-actions.ts";
import { runAddress, runsAddress } from "../../words/navigation/addresses.ts";
import { countOf, rowMoney } from "../../words/amounts/money.ts";
import { firstLine, personName } from "../../words/names/names.ts";
import { runStates } from "../../words/runs/run-states.ts";
import { ageOf, clockOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import type { Done } from "./now-parts.ts";
import { SayButton } from "./say-button.tsx";
import { hearerOf, Talk } from "./talk.tsx";
import { useOpened } from "./use-opened.ts";
import { addressOfRun, fromOf, whoOf } from "./who.tsx";
import { askedLine } from "../../words/runs/asked-line.ts";
import "./done-row.css";

export function DoneRow({ item }: Kept<Done>) {
  return "runs" in item ? <ScheduleRow {...item} /> : <DoneRun run={item} />;
}

function DoneRun({ run }: { run: RunRow }) {
  const { isOpen, wantsToSay, toggle, say } = useOpened();
  const { mark, word } = runStates[run.state];
  // A turn of an agent isn't run again.
  const again = run.agent === null && (
    <Button kind="quiet" keyName="R" busyText="Starting" onPress={() => runAgain(run.id)}>
      Run again
    </Button>
  );
  return (
    <Row
      mark={mark}
      state={word}
      who={whoOf(run)}
      from={undefined}
      cost={rowMoney(run.cost_usd, run.cost_is_estimate)}
      age={ageOf(Date.parse(run.ended_at ?? run.requested_at), now.value)}
      isOneLine
      isOpen={isOpen}
      onToggle={toggle}
      actions={
        <>
          {hearerOf(run) && <SayButton onPress={say} />}
          {again}
        </>
      }
      opened={
        <>
          <p class="last-words ink-2">{visible(run.prompt)}</p>
          <Talk run={run} isWanted={wantsToSay} />
          <p class="btns">
            <span class="acts-open">{again}</span>
            <a class="small" href={runAddress(run.id)}>
              All of the run
            </a>
          </p>
        </>
      }
    >
      <RunLink run={run} />
      {fromOf(run) !== undefined && <span class="off">{fromOf(run)}</span>}
    </Row>
  );
}

function RunLink({ run }: { run: RunRow }) {
  return (
    <>
      <a class="cut" href={addressOfRun(run)} title={askedLine(run.prompt)}>
        {firstLine(run.last_text ?? "") || askedLine(run.prompt) || "(no text)"}
      </a>
      {run.saved_as !== null && <bdi class="mono ink-3">{firstLine(run.saved_as)}</bdi>}
    </>
  );
}

type Folded = Extract<Done, { runs: unknown }>;

/** As many as stand beside the words of the last one. */
const mostTicks = 24;

function ScheduleRow({ schedule, total, failed: failures, runs, cost_usd, ended_at }: Folded) {
  const isOpen = useSignal(false);
  const newest = runs[0];
  const label = `${countOf(total, "run")} today, ${failures === 0 ? "all done" : `${failures} failed`}`;
  return (
    <Row
      mark={failures > 0 ? "failed" : "done"}
      state={failures > 0 ? "Failed in part" : "Done"}
      who={personName(schedule)}
      cost={rowMoney(cost_usd)}
      age={ageOf(Date.parse(ended_at), now.value)}
      isOneLine
      isOpen={isOpen.value}
      onToggle={() => {
        isOpen.value = !isOpen.value;
      }}
      opened={
        <ol class="runs-of">
          {runs.map((run) => (
            <li key={run.id}>
              <span class="ink-3">{clockOf(Date.parse(run.ended_at ?? run.requested_at))}</span>
              <a class="plain cut" href={addressOfRun(run)}>
                {firstLine(run.last_text ?? "") || askedLine(run.prompt)}
              </a>
              <span class="num">{rowMoney(run.cost_usd, run.cost_is_estimate)}</span>
            </li>
          ))}
          {total > runs.length && (
            <li>
              <span />
              <a class="plain" href={runsAddress({ schedule })}>
                {countOf(total - runs.length, "more run", "more runs")}
              </a>
            </li>
          )}
        </ol>
      }
    >
      {newest && <RunLink run={newest} />}
      <span class="ticks" role="img" aria-label={label}>
        {runs
          .slice(0, mostTicks)
          .toReversed()
          .map(({ id, state }) => (
            <i key={id} class={state === "failed" ? "x" : undefined} />
          ))}
      </span>
    </Row>
  );
}

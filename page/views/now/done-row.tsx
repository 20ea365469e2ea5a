/** What was done today, in one line: a run, or all runs of a schedule with a tick each. */
import { useSignal } from "@preact/signals";
import { Row } from "../../parts/row.tsx";
import { now } from "../../stores/clock.ts";
import type { RunRow } from "../../stores/now-store.ts";
import type { Kept } from "../../stores/steady-list.ts";
import { countOf, rowMoney } from "../../words/money.ts";
import { firstLine, personName } from "../../words/names.ts";
import { runStates } from "../../words/run-states.ts";
import { ageOf, clockOf } from "../../words/times.ts";
import type { Done } from "./now-parts.ts";
import { fromOf, whoOf } from "./who.tsx";

export function DoneRow({ item }: Kept<Done>) {
  return "runs" in item ? <ScheduleRow {...item} /> : <DoneRun run={item} />;
}

function DoneRun({ run }: { run: RunRow }) {
  const { mark, word } = runStates[run.state];
  return (
    <Row
      mark={mark}
      state={word}
      who={whoOf(run)}
      from={undefined}
      cost={rowMoney(run.cost_usd, run.cost_is_estimate)}
      age={ageOf(Date.parse(run.ended_at ?? run.requested_at), now.value)}
      isOneLine
    >
      <RunLink run={run} />
      {fromOf(run) !== undefined && <span class="off">{fromOf(run)}</span>}
    </Row>
  );
}

function RunLink({ run }: { run: RunRow }) {
  return (
    <>
      <a class="cut" href={`/runs/${run.id}`} title={firstLine(run.prompt)}>
        {firstLine(run.last_text ?? "") || firstLine(run.prompt) || "(no text)"}
      </a>
      {run.saved_as !== null && <span class="mono ink-3">{run.saved_as}</span>}
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
              <a class="plain cut" href={`/runs/${run.id}`}>
                {firstLine(run.last_text ?? "") || firstLine(run.prompt)}
              </a>
              <span class="num">{rowMoney(run.cost_usd, run.cost_is_estimate)}</span>
            </li>
          ))}
          {total > runs.length && (
            <li>
              <span />
              <a class="plain" href={`/runs?schedule=${encodeURIComponent(schedule)}`}>
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

/** Runs of a schedule that are at work, or have failed: one row, which opens to the row of each. */
import type { FunctionComponent } from "preact";
import { Row } from "../../parts/list/row.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { OfSchedule } from "../../stores/now/by-schedule.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { countOf, rowMoney } from "../../words/amounts/money.ts";
import { runsAddress } from "../../words/navigation/addresses.ts";
import { firstLine, personName } from "../../words/names/names.ts";
import type { MarkKind } from "../../words/runs/run-states.ts";
import { ageOf } from "../../words/time/times.ts";
import { useOpened } from "./use-opened.ts";

type ScheduleRunsProps = Kept<OfSchedule> & {
  mark: MarkKind;
  state: string;
  /** The words behind how many there are. */
  told: string;
  /** The filter by which the list of runs has them. */
  filter: string;
  /** The row of one run, which stands for itself where it is the only one. */
  Each: FunctionComponent<Kept<RunRow>>;
};

export function ScheduleRunsRow({
  item: { schedule, runs },
  isGone,
  mark,
  state,
  told,
  filter,
  Each,
}: ScheduleRunsProps) {
  const { isOpen, toggle } = useOpened();
  const [newest, ...others] = runs;
  // Each run has a row of its own: what was opened, or is about to be stopped, is never another one.
  if (others.length === 0) return <Each key={newest.id} item={newest} isGone={isGone} />;
  const costs = runs.flatMap(({ cost_usd }) => cost_usd ?? []);
  const facets = new Set(runs.map(({ facet, persona }) => facet ?? persona));
  return (
    <Row
      mark={mark}
      state={state}
      who={personName(schedule)}
      from="by its schedule"
      cost={
        costs.length === 0
          ? ""
          : rowMoney(
              sum(costs),
              runs.some(({ cost_is_estimate }) => cost_is_estimate),
            )
      }
      age={ageOf(Date.parse(newest.ended_at ?? newest.started_at ?? newest.requested_at), now.value)}
      isOpen={isOpen}
      onToggle={toggle}
      isGone={isGone}
      opened={
        <ol class="rows-of">
          {runs.map((run) => (
            <Each key={run.id} item={run} isGone={isGone} />
          ))}
        </ol>
      }
    >
      <a class="say cut" href={runsAddress({ schedule, state: filter })}>
        {`${countOf(runs.length, "run")} ${told}`}
      </a>
      <span class="sub">
        <span class="cut">{[...facets].map(firstLine).join(", ")}</span>
      </span>
    </Row>
  );
}

const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0);

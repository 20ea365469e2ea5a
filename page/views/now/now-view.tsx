/** Now: what needs you, what works, what has failed, and what was done today. */
import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Loading } from "../../parts/loading/loading.tsx";
import { View } from "../../parts/layout/view.tsx";
import { asked } from "../../parts/requests/new-request.tsx";
import { NewRequestButton } from "../../parts/requests/new-request-button.tsx";
import { now } from "../../stores/browser/clock.ts";
import { followCompanions } from "../../stores/agents/companions-store.ts";
import { health } from "../../stores/now/health-store.ts";
import { followNow, needing, nowProblem, nowState, readNow } from "../../stores/now/now-store.ts";
import { digits, sumMoney } from "../../words/amounts/money.ts";
import { runsAddress } from "../../words/navigation/addresses.ts";
import { clockOf, dayKey, dayName } from "../../words/time/times.ts";
import { DecisionRow } from "./decision-row.tsx";
import { DoneRow } from "./done-row.tsx";
import { FailedRow } from "./failed-row.tsx";
import { FirstStart } from "./first-start.tsx";
import { HealthLine } from "./health-line.tsx";
import {
  done,
  doneKey,
  doneOf,
  failed,
  isHeld,
  isOfSchedule,
  isWaitingAgent,
  needsYou,
  runsIn,
  waiting,
  working,
  workingCount,
  rowKey,
} from "./now-parts.ts";
import { Part } from "./part.tsx";
import { ScheduleRunsRow } from "./schedule-runs-row.tsx";
import { WaitingAgentRow } from "./waiting-agent-row.tsx";
import { WorkingRow } from "./working-row.tsx";
import "./now.css";

export default function NowView() {
  useEffect(followNow, []);
  useEffect(followCompanions, []);
  // What one has asked for oneself is looked for at once.
  useSignalEffect(() => {
    if (asked.value.length > 0) isHeld.value = false;
  });
  const minute = useComputed(() => `${dayName(now.value, now.value)}, ${clockOf(now.value)}`);
  const state = nowState.value;
  const open = needing.value.length;
  return (
    <View
      title="Now"
      tab={open > 0 ? `Now (${open})` : "Now"}
      sum={state && <Sums {...state} />}
      actions={
        <>
          <span class="ink-3 no-phone">{minute}</span>
          <NewRequestButton />
        </>
      }
    >
      {state === null ? (
        <Loading isThere={false} error={nowProblem.value} onRetry={readNow} rows={6} lines={2} />
      ) : (
        <Parts />
      )}
    </View>
  );
}

function Sums(now: NonNullable<typeof nowState.value>) {
  const { totals, today } = now;
  const open = needing.value.length;
  const parts = [`${digits(workingCount(now))} working`, totals.failed > 0 && `${digits(totals.failed)} failed`].filter(
    Boolean,
  );
  const rest = [`${digits(totals.done_today)} done since midnight`, today.cost_usd > 0 && sumMoney(today.cost_usd)];
  return (
    <>
      {open > 0 && <b>{open === 1 ? "1 needs you, " : `${open} need you, `}</b>}
      {parts.join(", ")}
      <span class="no-phone">, {rest.filter(Boolean).join(", ")}</span>
    </>
  );
}

function Parts() {
  const state = nowState.value;
  if (state === null) return null;
  const queued = state.working.filter((run) => run.state === "queued").length;
  const { totals } = state;
  const today = dayKey(now.value, health.value?.time_zone);
  const doneRuns = done.value.rows.reduce((sum, { item }) => sum + doneOf(item), 0);
  const isNew =
    state.today.runs === 0 && [needsYou, working, failed, done].every(({ value }) => value.rows.length === 0);
  return (
    <div class="now" {...holding}>
      <HealthLine problems={state.health} />
      <Part title="Needs you" count={needsYou.value.rows.length} none="Nothing needs you." hasColumns>
        {needsYou.value.rows.map((kept) => (
          <DecisionRow key={kept.item.id} {...kept} />
        ))}
      </Part>
      <Part
        title="Working"
        count={runsIn(working.value.rows)}
        others={{ count: totals.working - state.working.length, href: runsAddress({ state: "working,you" }) }}
        none={isNew ? "Nothing has run yet." : "Nothing works."}
        more={queued > 0 ? `${queued} of them ${queued === 1 ? "waits" : "wait"} for a place` : undefined}
      >
        {working.value.rows.map(({ item, isGone }) =>
          isWaitingAgent(item) ? (
            <WaitingAgentRow key={rowKey(item)} item={item} isGone={isGone} />
          ) : isOfSchedule(item) ? (
            <ScheduleRunsRow key={rowKey(item)} item={item} isGone={isGone} {...ofWorking} />
          ) : (
            <WorkingRow key={item.id} item={item} isGone={isGone} />
          ),
        )}
      </Part>
      <Part
        title="Failed"
        count={runsIn(failed.value.rows)}
        others={{ count: totals.failed - state.failed.length, href: runsAddress({ state: "failed" }) }}
        none="Nothing has failed."
      >
        {failed.value.rows.map(({ item, isGone }) =>
          isOfSchedule(item) ? (
            <ScheduleRunsRow key={rowKey(item)} item={item} isGone={isGone} {...ofFailed} />
          ) : (
            <FailedRow key={item.id} item={item} isGone={isGone} />
          ),
        )}
      </Part>
      <Part
        title="Done today"
        count={doneRuns}
        others={{ count: totals.done_today - doneRuns, href: runsAddress({ state: "done,stopped", day: today }) }}
        none={isNew ? <FirstStart /> : "Nothing yet."}
      >
        {done.value.rows.map((kept) => (
          <DoneRow key={doneKey(kept.item)} {...kept} />
        ))}
      </Part>
      {waiting.value > 0 && (
        <p class="held">
          <button type="button" class="btn" onClick={() => (isHeld.value = false)}>
            {waiting.value} new
          </button>
        </p>
      )}
    </div>
  );
}

/** The rows of schedules in the two parts whose runs are rows by themselves. */
const ofWorking = {
  mark: "working",
  state: "Working",
  told: "at work",
  filter: "working,you",
  Each: WorkingRow,
} as const;
const ofFailed = { mark: "failed", state: "Failed", told: "have failed", filter: "failed", Each: FailedRow } as const;

/**
 * Milliseconds after which a pointer that rests on a row counts as reading: new rows may come, unless something is
 * about to be pressed.
 */
const restMs = 4000;
let resting: ReturnType<typeof setTimeout> | undefined;

const inRow = (target: EventTarget | null) => target instanceof Element && target.closest("[data-row]") !== null;
const isPressable = (target: EventTarget | null) =>
  target instanceof Element && target.closest("button, input, a") !== null;

/** Rows stay as long as the pointer or the focus is on one. */
function hold(target: EventTarget | null): void {
  isHeld.value = inRow(target) || inRow(document.activeElement);
  clearTimeout(resting);
  if (isHeld.value && !isPressable(target)) resting = setTimeout(() => (isHeld.value = false), restMs);
}

const holding = {
  onMouseMove: (event: MouseEvent) => hold(event.target),
  onMouseLeave: () => hold(null),
  onFocusIn: (event: FocusEvent) => hold(event.target),
  // Who presses a key in a row wants to see what it does.
  onKeyDown: (event: KeyboardEvent) => hold(event.target),
  onFocusOut: (event: FocusEvent) => hold(event.relatedTarget),
};

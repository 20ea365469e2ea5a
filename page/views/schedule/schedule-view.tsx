/** Schedule: who runs when, how it went, what was missed; paused, run now, and made in words. */
import { useEffect, useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useKeys } from "../../keys/keys.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { View } from "../../parts/layout/view.tsx";
import { now } from "../../stores/browser/clock.ts";
import { type ScheduleRow, ScheduleStore } from "../../stores/schedule/schedule-store.ts";
import { waitOf } from "../../words/amounts/durations.ts";
import { personName, shownLine } from "../../words/names/names.ts";
import { monthBy, monthWords, nextWords } from "../../words/time/schedule-words.ts";
import { dayKey } from "../../words/time/times.ts";
import { MakeSchedule, schedulePersona, scheduleWords } from "./make-schedule.tsx";
import { Missed } from "./missed.tsx";
import { Legend, MonthDays } from "./month-strip.tsx";
import { ScheduleRows } from "./schedule-rows.tsx";
import "./schedule-table.css";
import "./schedule.css";

export default function ScheduleView({ query }: { query?: Record<string, string> }) {
  const asked = monthIn(query);
  const store = useMemo(() => new ScheduleStore(asked), []);
  useEffect(() => {
    store.open();
    return () => store.close();
  }, [store]);
  useEffect(() => void store.showMonth(asked), [asked]);
  useKeys({ "+": focusWords });
  const rows = store.rows.value;
  return (
    <View
      title="Schedule"
      sum={rows !== null && rows.length > 0 ? <Sum rows={rows} store={store} /> : undefined}
      actions={
        <Button onPress={focusWords}>
          New schedule <kbd aria-hidden="true">+</kbd>
        </Button>
      }
    >
      <Loading isThere={rows !== null} error={store.problem.value} onRetry={() => store.read()} rows={8} />
      {store.historyProblem.value !== null && (
        <Problem error={store.historyProblem.value} onRetry={() => store.read()} />
      )}
      {rows?.length === 0 && (
        <Empty title="Nothing runs by itself yet." command={'cortex schedule set reviewer "every weekday at 7"'}>
          Say below who runs, and when.
        </Empty>
      )}
      {rows !== null && rows.length > 0 && <Table rows={rows} store={store} />}
      {rows !== null && (
        <div class="halves">
          <Missed store={store} />
          <MakeSchedule store={store} />
        </div>
      )}
    </View>
  );
}

function focusWords(): void {
  const field = document.querySelector<HTMLElement>("main [data-words]");
  field?.focus();
  field?.scrollIntoView({ block: "nearest" });
}

function Sum({ rows, store }: { rows: readonly ScheduleRow[]; store: ScheduleStore }) {
  const on = rows.filter((row) => row.on);
  const paused = rows.length - on.length;
  const [next] = on
    .filter((row) => row.next !== null)
    .toSorted((one, other) => Date.parse(one.next ?? "") - Date.parse(other.next ?? ""));
  const told = [...(on.length > 0 ? [`${on.length} on`] : []), ...(paused > 0 ? [`${paused} paused`] : [])].join(", ");
  if (!next?.next) return <>{told}</>;
  const known = store.people.value.find(({ name }) => name === next.persona);
  const title = shownLine(known?.title ?? personName(next.persona));
  return (
    <>
      {told}. Next:{" "}
      <b>
        <bdi>{title}</bdi>, {nextWords(next.next, now.value, store.timeZone.value)}
      </b>
      , in {waitOf(Date.parse(next.next) - now.value)}
    </>
  );
}

function Table({ rows, store }: { rows: readonly ScheduleRow[]; store: ScheduleStore }) {
  const daily = rows.filter(({ schedule }) => schedule === "daily");
  const timed = rows.filter(({ schedule }) => schedule !== "daily");
  const failed = rows.find(({ on, result, facets }) => on && facets !== "no" && result === "failed");
  const days = store.month.value?.days.map(({ day }) => day) ?? [];
  const groups = [
    ["The night, after midnight, one after the other", daily],
    ["At their times", timed],
  ] as const;
  return (
    <table class="tab sched">
      <thead>
        <tr>
          <th scope="col" class="st">
            <span class="off">State</span>
          </th>
          <th scope="col">Who</th>
          <th scope="col" class="when">
            When
          </th>
          <th scope="col">Last</th>
          <th scope="col" class="mo">
            <MonthPick store={store} />
            <MonthDays days={days} now={now.value} timeZone={store.timeZone.value} />
          </th>
          <th scope="col" class="nx">
            Next
          </th>
          <th scope="col" class="do">
            <span class="off">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map(
          ([title, group]) =>
            group.length > 0 && [
              <tr class="grp" key={title}>
                <td class="st" />
                <th colSpan={6} scope="colgroup">
                  {title}
                </th>
              </tr>,
              ...group.map((row) => (
                <ScheduleRows
                  key={row.persona}
                  row={row}
                  store={store}
                  isFirstFailed={row === failed}
                  onChange={() => {
                    schedulePersona().value = row.persona;
                    scheduleWords().value = row.schedule;
                    focusWords();
                  }}
                />
              )),
            ],
        )}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={4} />
          <td colSpan={3}>
            <Legend />
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** The month that the address names; undefined: none. */
function monthIn(query: Record<string, string> | undefined): string | undefined {
  const month = query?.["month"];
  return month !== undefined && /^\d{6}$/.test(month) ? month : undefined;
}

function MonthPick({ store }: { store: ScheduleStore }) {
  const { route, query } = useLocation();
  const shown = store.month.value?.month;
  if (shown === undefined) return null;
  const thisMonth = dayKey(now.value, store.timeZone.value).slice(0, 6);
  // The month that was asked for, which may be on its way: two presses go two months.
  const from = monthIn(query) ?? thisMonth;
  const go = (month: string) => route(month === thisMonth ? "/schedule" : `/schedule?month=${month}`, true);
  return (
    <span class="month-pick">
      <button type="button" aria-label="The month before" onClick={() => go(monthBy(from, -1))}>
        ‹
      </button>
      <span>{monthWords(shown)}</span>
      <button type="button" aria-label="The month after" onClick={() => go(monthBy(from, 1))}>
        ›
      </button>
    </span>
  );
}

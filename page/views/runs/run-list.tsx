/** The list of all runs, newest first, read as far as somebody scrolls. */
import { useComputed, useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { NewRequestButton } from "../../parts/requests/new-request-button.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { useRowsInView } from "../../parts/list/use-rows-in-view.ts";
import { View } from "../../parts/layout/view.tsx";
import { now } from "../../stores/browser/clock.ts";
import { onMachineEvent } from "../../live/machine-events.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import { isPhone } from "../../stores/browser/screen.ts";
import { type PlaceOfRun, RunsStore } from "../../stores/runs/runs-store.ts";
import { digits, sumMoney } from "../../words/amounts/money.ts";
import { Compare } from "./compare.tsx";
import { DaysPlot } from "./days-plot.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { addressOf, filtersOf, isUnfiltered, mayFit, queryOf, type RunFilters } from "./run-filters.ts";
import { RunLine } from "./run-line.tsx";
import { dayRows } from "./run-rows.ts";
import "./run-list.css";

/** On a phone a row has two lines, and is pressed by a finger. In px. */
const [rowOnDesk, rowOnPhone] = [31, 48];
/** Rows that are read before one gets to them. */
const readAhead = 100;
/** Rows that stand for what is read first. */
const emptyRows = 12;

export function RunList({ query }: { query: string }) {
  const { route } = useLocation();
  const filters = useMemo(() => filtersOf(query), [query]);
  const store = useMemo(() => new RunsStore(queryOf(filters)), [query]);
  const chosen = useSignal<readonly string[]>([]);
  const scroller = useRef<HTMLDivElement>(null);
  const today = useComputed(() => new Date(now.value).toDateString());
  const rowsOf = useMemo(() => dayRows<RunRow>(), []);
  const rows = useMemo(() => rowsOf(store.runs.value, now.peek()), [store.runs.value, today.value]);
  const { total, isAll, fresh, problem } = store;
  const runs = store.runs.value.all;
  const unread = total.value ?? (runs.length === 0 ? emptyRows : runs.length + 1);
  const behind = isAll.value || problem.value !== null ? 0 : Math.max(0, unread - runs.length);
  const rowHeight = isPhone.value ? rowOnPhone : rowOnDesk;
  const { first, last } = useRowsInView(scroller, { count: rows.length + behind, height: rowHeight });

  useEffect(() => {
    void store.readTo(readAhead);
    return () => store.close();
  }, [store]);
  useEffect(() => {
    if (last + readAhead > rows.length) void store.readTo(last + readAhead);
  }, [store, last, rows.length]);
  useEffect(() => {
    const placeOf = (run: RunRow): PlaceOfRun => {
      if (!mayFit(filters, run)) return "none";
      return isUnfiltered(filters) && (scroller.current?.scrollTop ?? 0) === 0 ? "first" : "counted";
    };
    const ends = [
      onMachineEvent("run.changed", (run) => store.changed(run, placeOf(run))),
      onMachineEvent("run.removed", ({ id }) => store.removed(id)),
      // What can't be read is there at the next change, or at the next reset.
      onMachineEvent("reset", () => void store.catchUp(placeOf).catch(() => {})),
    ];
    return () => ends.forEach((end) => end());
  }, [store]);

  const go = (changed: Partial<RunFilters>) => route(addressOf({ ...filters, ...changed }), true);
  const choose = (id: string) => {
    const others = chosen.value.filter((one) => one !== id);
    chosen.value = others.length < chosen.value.length ? others : [...chosen.value, id].slice(-2);
  };
  const showFresh = async () => {
    await store.readFresh();
    scroller.current?.scrollTo(0, 0);
  };
  const count = isAll.value ? runs.length : total.value;
  return (
    <div class="runs-view">
      <View
        title="Runs"
        tab={filters.text === "" ? "Runs" : `Runs: ${filters.text}`}
        sum={count !== null && <b>{digits(count)}</b>}
        actions={<NewRequestButton />}
      >
        <div class="fbar">
          <FilterBar filters={filters} onChange={go} runs={runs} />
          <DaysPlot day={filters.day} onDay={(day) => go({ day, until: "" })} />
        </div>
        <div class="run-cols" aria-hidden="true">
          <span class="began">Began</span>
          <span>Who</span>
          <span>Asked, and what came of it</span>
          <span class="num no-narrow">Model</span>
          <span class="num">Took</span>
          <span class="num">Cost</span>
        </div>
        {problem.value !== null && <Problem error={problem.value} onRetry={() => store.readTo(readAhead)} />}
        {isAll.value && runs.length === 0 && <NoRuns filters={filters} onAll={() => go(filtersOf(""))} />}
        <div class="run-rows" ref={scroller} tabIndex={-1}>
          <ol aria-label="Runs" style={{ height: `${(rows.length + behind) * rowHeight}px` }}>
            {Array.from({ length: last - first }, (_, index) => first + index).map((at) => {
              const row = rows[at];
              const top = `${at * rowHeight}px`;
              if (row === undefined)
                return <li key={`row ${at}`} class="run-line waits" style={{ top }} aria-hidden="true" />;
              if (row.kind === "run")
                return (
                  <RunLine
                    key={row.run.id}
                    run={row.run}
                    top={top}
                    words={filters.text}
                    isChosen={chosen.value.includes(row.run.id)}
                    onChoose={() => choose(row.run.id)}
                  />
                );
              return (
                <li key={row.key} class="day-line" style={{ top }}>
                  <span>{row.name}</span>
                  <span class="num">{isAll.value || at + 1 < rows.length ? sumMoney(row.costUsd) : ""}</span>
                </li>
              );
            })}
          </ol>
        </div>
        {fresh.value.size > 0 && (
          <p class="fresh">
            <Button busyText="Reading" onPress={showFresh}>
              {fresh.value.size} new
            </Button>
          </p>
        )}
      </View>
      {chosen.value.length === 2 && <Compare ids={chosen.value} onClose={() => (chosen.value = [])} />}
    </div>
  );
}

function NoRuns({ filters, onAll }: { filters: RunFilters; onAll: () => void }) {
  if (isUnfiltered(filters))
    return (
      <p class="no-runs">
        Nothing has run yet. Ask something here, or at the terminal: <code>cortex request "What is due today?"</code>
      </p>
    );
  return (
    <p class="no-runs">
      {filters.text === "" ? "No run fits." : `No run says “${filters.text}”.`}{" "}
      <button type="button" class="btn" onClick={onAll}>
        Take the filters away
      </button>
    </p>
  );
}

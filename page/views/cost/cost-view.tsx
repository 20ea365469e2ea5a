/**
 * The cost of runs: each day, by whom or by which model, and how near the limits are. Every number leads to its runs.
 */
import { useLocation } from "preact-iso";
import { useEffect } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { onMachineEvent } from "../../live/machine-events.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { Segments } from "../../parts/buttons/segments.tsx";
import { type Answer, useAnswer } from "../../parts/loading/use-answer.ts";
import { View } from "../../parts/layout/view.tsx";
import { countOf } from "../../words/amounts/money.ts";
import { addressOf, type Cost, type CostPlace, csvOf, type Grouping, groupings, placeOf } from "./cost-address.ts";
import { addDays, daysUntil, rangeWords } from "./cost-days.ts";
import { CostTable } from "./cost-table.tsx";
import { DaysPlot } from "./days-plot.tsx";
import { Limits } from "./limits.tsx";
import { TodayFigures } from "./today-figures.tsx";
import "./cost.css";

const shownDays = 15;
/** Runs end by the dozen: it is read again at most so often, in ms. */
const calmMs = 3000;

export default function CostView({ query = {} }: { query?: Record<string, string> }) {
  const { route } = useLocation();
  const place = placeOf(query);
  const today = useAnswer("today", (signal) => readCost("day", {}, signal));
  const last = today.data.value?.to ?? "";
  const to = place.to === "" || place.to > last ? last : place.to;
  const days = to === "" ? [] : daysUntil(to, shownDays);
  const from = days[0] ?? "";
  const shown = useAnswer(`${place.by} ${from} ${to}`, async (signal) =>
    to === "" ? null : readCost(place.by, { from, to }, signal),
  );
  useReadingAgain([today, shown]);
  const go = (changed: Partial<CostPlace>) => route(addressOf({ ...place, ...changed }), true);
  const cost = shown.data.value;
  const retry = () => Promise.all([today.read(), shown.read()]);
  return (
    <div class="cost-view">
      <View
        title="Cost"
        sum={<Segments label="By" options={groupings} value={place.by} onChange={(by) => go({ by, of: "" })} />}
        actions={
          to !== "" && (
            <>
              <Range from={from} to={to} last={last} onGo={(day) => go({ to: day })} />
              <Button isOff={cost === null || cost.rows.length === 0} onPress={() => cost && save(cost)}>
                Save as CSV
              </Button>
            </>
          )
        }
      >
        <Loading
          isThere={today.data.value !== null && cost !== null}
          error={today.problem.value ?? shown.problem.value}
          onRetry={retry}
          rows={8}
        />
        {cost !== null && cost.unread.length > 0 && <Unread files={cost.unread} />}
        {today.data.value !== null && cost !== null && (
          <>
            <div class="cost-top">
              <TodayFigures cost={today.data.value} />
              <DaysPlot cost={cost} days={days} today={last} of={place.of} />
            </div>
            <div class="cost-bottom">
              {cost.rows.length === 0 ? (
                <Empty title="Nothing ran in these days." command="cortex cost">
                  The same at the terminal:
                </Empty>
              ) : (
                <CostTable cost={cost} days={days} of={place.of} onChoose={(of) => go({ of })} />
              )}
              <Limits cost={cost} />
            </div>
          </>
        )}
      </View>
    </div>
  );
}

const readCost = (by: Grouping, days: { from?: string; to?: string }, signal: AbortSignal) =>
  answered(client.GET("/api/v1/cost", { params: { query: { by, ...days } }, signal }));

/** Whenever runs have ended. */
function useReadingAgain(answers: readonly Answer<Cost | null>[]): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const again = () => {
      timer ??= setTimeout(() => {
        timer = null;
        for (const { read } of answers) void read();
      }, calmMs);
    };
    const ends = [
      onMachineEvent("run.changed", ({ ended_at }) => ended_at !== null && again()),
      onMachineEvent("reset", again),
    ];
    return () => {
      if (timer !== null) clearTimeout(timer);
      for (const end of ends) end();
    };
  });
}

type RangeProps = { from: string; to: string; last: string; onGo: (to: string) => void };

function Range({ from, to, last, onGo }: RangeProps) {
  const later = addDays(to, shownDays);
  return (
    <div class="segments" role="group" aria-label="Time">
      <button type="button" aria-label="Earlier" onClick={() => onGo(addDays(to, -shownDays))}>
        <Icon name="back" />
      </button>
      <span class="on">{rangeWords(from, to)}</span>
      <button type="button" aria-label="Later" disabled={to >= last} onClick={() => onGo(later >= last ? "" : later)}>
        <Icon name="next" />
      </button>
    </div>
  );
}

function Unread({ files }: { files: readonly string[] }) {
  return (
    <p class="unread" role="status">
      {countOf(files.length, "file")} can’t be read, so the sums lack {files.length === 1 ? "it" : "them"}:{" "}
      <code>{files.slice(0, 3).join(", ")}</code>
    </p>
  );
}

/** As a file of this browser. */
function save(cost: Cost): void {
  const url = URL.createObjectURL(new Blob([csvOf(cost)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `cost-by-${cost.by}-${cost.from}-${cost.to}.csv`;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The log of the programs: the last lines, and those that come, by program, level and words. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useMemo } from "preact/hooks";
import { Loading } from "../../parts/loading/loading.tsx";
import { View } from "../../parts/layout/view.tsx";
import { useKeys } from "../../keys/keys.ts";
import { countOf } from "../../words/amounts/money.ts";
import { addressOf, askedOf, filtersOf, hasWords, type LogFilters } from "./log-filters.ts";
import { LogFilterBar } from "./log-filter-bar.tsx";
import { LogDetail } from "./log-detail.tsx";
import { LogRows } from "./log-rows.tsx";
import { LogsStore } from "./logs-store.ts";
import "./logs.css";

export default function LogsView({ query = {} }: { query?: Record<string, string> }) {
  const { route } = useLocation();
  const filters = useMemo(() => filtersOf(query), [JSON.stringify(query)]);
  const asked = JSON.stringify(askedOf(filters));
  const store = useMemo(() => new LogsStore(askedOf(filters)), [asked]);
  useEffect(() => () => store.close(), [store]);
  const all = store.lines.value;
  const lines = useMemo(() => all?.filter((line) => hasWords(line, filters.text)) ?? [], [all, filters.text]);
  const chosen = useSignal<number | null>(null);
  const isFollowing = useSignal(true);
  useKeys({ e: () => (isFollowing.value = true) });
  const go = (changed: Partial<LogFilters>) => route(addressOf({ ...filters, ...changed }), true);
  const line = lines.find(({ number }) => number === chosen.value);
  return (
    <div class="logs-view">
      <View title="Logs" sum={all !== null && sumOf(lines.length, all.length)}>
        <LogFilterBar filters={filters} lines={all ?? []} onChange={go} />
        <Loading isThere={all !== null} error={store.problem.value} onRetry={() => store.read()} rows={12} />
        {store.isCutOff.value && (
          <p class="cut-off" role="status">
            Not connected. What you see is from before; it goes on by itself.
          </p>
        )}
        {all !== null && lines.length === 0 && <NoLines filters={filters} onAll={() => go(filtersOf({}))} />}
        <LogRows
          key={asked}
          store={store}
          lines={lines}
          words={filters.text}
          chosen={chosen}
          isFollowing={isFollowing}
        />
        {line && <LogDetail line={line} onClose={() => (chosen.value = null)} />}
      </View>
    </div>
  );
}

const sumOf = (shown: number, all: number) =>
  shown === all ? `the last ${countOf(all, "line")}` : `${countOf(shown, "line")} of the last ${all}`;

function NoLines({ filters, onAll }: { filters: LogFilters; onAll: () => void }) {
  const isAll = filters.program === "" && filters.level === "any" && filters.text === "";
  if (isAll) return <p class="no-lines">Nothing was logged yet.</p>;
  return (
    <p class="no-lines">
      No line fits. New ones appear here.{" "}
      <button type="button" class="btn" onClick={onAll}>
        Take the filters away
      </button>
    </p>
  );
}

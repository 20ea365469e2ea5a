/** How many runs there were on each of the last fifteen days. A press shows that day's. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { countOf } from "../../words/amounts/money.ts";
import { dayKey, dayName } from "../../words/time/times.ts";
import { dayMs } from "../../words/time/time.ts";
import "./days-plot.css";

const shownDays = 15;

type Day = { key: string; name: string; runs: number };

export function DaysPlot({ day, onDay }: { day: string; onDay: (day: string) => void }) {
  const days = useSignal<readonly Day[]>([]);
  useEffect(() => {
    readDays().then(
      (read) => (days.value = read),
      // The list itself says what is wrong.
      () => (days.value = []),
    );
  }, []);
  const most = days.value.reduce((max, { runs }) => Math.max(max, runs), 1);
  if (days.value.length === 0) return null;
  return (
    <div class="hist" role="group" aria-label="Runs a day">
      {days.value.map(({ key, name, runs }, index) => (
        <button
          key={key}
          type="button"
          aria-pressed={day === key}
          aria-label={`${name}: ${countOf(runs, "run")}`}
          title={`${name}: ${countOf(runs, "run")}`}
          onClick={() => onDay(day === key ? "" : key)}
        >
          <i style={{ height: `${Math.round((runs / most) * 40)}px` }} />
          <em>{index % 7 === 0 || index === shownDays - 1 ? Number(key.slice(6)) : ""}</em>
        </button>
      ))}
    </div>
  );
}

async function readDays(): Promise<Day[]> {
  const { rows } = await answered(client.GET("/api/v1/cost", { params: { query: { by: "day" } } }));
  const counts = new Map(rows.map(({ name, runs }) => [name, runs]));
  const now = Date.now();
  return Array.from({ length: shownDays }, (_, index) => {
    const at = now - (shownDays - 1 - index) * dayMs;
    const key = dayKey(at);
    return { key, name: dayName(at, now), runs: counts.get(key) ?? 0 };
  });
}

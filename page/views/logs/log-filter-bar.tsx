/** The filters of the logs: how grave, which program, which words. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Segments } from "../../parts/buttons/segments.tsx";
import { health } from "../../stores/now/health-store.ts";
import { type LogFilters, type LogLine, levels } from "./log-filters.ts";
import "../../parts/forms/field.css";

/** Typing is over when nothing was typed for so long. */
const typedMs = 200;

type BarProps = { filters: LogFilters; lines: readonly LogLine[]; onChange: (changed: Partial<LogFilters>) => void };

export function LogFilterBar({ filters, lines, onChange }: BarProps) {
  const text = useSignal(filters.text);
  const sent = useRef(filters.text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    // Another address was gone to; what is being typed meanwhile stays.
    if (filters.text !== sent.current) text.value = sent.current = filters.text;
  }, [filters.text]);
  // With what was typed until now: nothing of it is lost by a press elsewhere.
  const change = (changed: Partial<LogFilters>) => {
    clearTimeout(timer.current);
    sent.current = text.value;
    onChange({ text: text.value, ...changed });
  };
  const typed = (value: string) => {
    text.value = value;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current({}), typedMs);
  };
  const latest = useRef(change);
  latest.current = change;
  return (
    <form
      class="log-filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        change({});
      }}
    >
      <Segments label="How grave" options={levels} value={filters.level} onChange={(level) => change({ level })} />
      <select
        class="field program"
        aria-label="Program"
        value={filters.program}
        onChange={(event) => change({ program: event.currentTarget.value })}
      >
        <option value="">All programs</option>
        {programsIn(lines, filters.program).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <label class="field words">
        <Icon name="search" />
        <span class="off">Lines with these words</span>
        <input
          type="search"
          placeholder="Lines with these words"
          data-filter
          value={text}
          onInput={(event) => typed(event.currentTarget.value)}
        />
        <kbd class="no-phone" aria-hidden="true">
          /
        </kbd>
      </label>
    </form>
  );
}

/** Lists the programs that run, and those that have said something. */
function programsIn(lines: readonly LogLine[], chosen: string): string[] {
  const running = health.value?.programs.map(({ name }) => name) ?? [];
  const names = new Set(["supervisor", ...running, ...lines.map(({ program }) => program), chosen]);
  names.delete("");
  return [...names].toSorted((one, other) => one.localeCompare(other));
}

/** The filters of the list: words, states, who, which model. Each that is set can be taken away. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../parts/icon.tsx";
import { Mark } from "../../parts/mark.tsx";
import type { RunRow } from "../../stores/now-store.ts";
import { personName, shortId } from "../../words/names.ts";
import type { MarkKind } from "../../words/run-states.ts";
import { nameOfDay } from "../../words/day-words.ts";
import type { RunFilters, StateFilter } from "./run-filters.ts";
import "../../parts/chip.css";

type BarProps = { filters: RunFilters; onChange: (changed: Partial<RunFilters>) => void; runs: readonly RunRow[] };

/** Typing is over when nothing was typed for so long. */
const typedMs = 250;

const states: readonly [StateFilter, string, MarkKind | null][] = [
  ["any", "Any state", null],
  ["you", "Needs you", "you"],
  ["working", "Working", "working"],
  ["failed", "Failed", "failed"],
  ["done", "Done", "done"],
  ["stopped", "Stopped", "stopped"],
];

export function FilterBar({ filters, onChange, runs }: BarProps) {
  const text = useSignal(filters.text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = () => {
    clearTimeout(timer.current);
    if (text.value !== filters.text) onChange({ text: text.value });
  };
  const typed = (value: string) => {
    text.value = value;
    clearTimeout(timer.current);
    timer.current = setTimeout(search, typedMs);
  };
  return (
    <>
      <form
        class="field q"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <Icon name="search" />
        {(filters.day !== "" || filters.until !== "") && (
          <Chip text={nameOfDays(filters)} onRemove={() => onChange({ day: "", until: "" })} />
        )}
        {filters.agent !== "" && (
          <Chip
            text={runs.find(({ agent }) => agent === filters.agent)?.agent_name ?? `Agent ${shortId(filters.agent)}`}
            onRemove={() => onChange({ agent: "" })}
          />
        )}
        {filters.backend !== "" && <Chip text={filters.backend} onRemove={() => onChange({ backend: "" })} />}
        {filters.persona !== "" && (
          <Chip text={personName(filters.persona)} onRemove={() => onChange({ persona: "" })} />
        )}
        {filters.model !== "" && <Chip text={filters.model} onRemove={() => onChange({ model: "" })} />}
        <input
          type="search"
          aria-label="Search prompts and results"
          placeholder="Search prompts and results"
          data-filter
          value={text}
          onInput={(event) => typed(event.currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </form>
      <div class="chips">
        <div class="chips" role="group" aria-label="State">
          {states.map(([state, word, mark]) => (
            <button
              key={state}
              type="button"
              class="chip"
              aria-pressed={filters.state === state}
              onClick={() => onChange({ state })}
            >
              {mark !== null && <Mark kind={mark} />}
              {word}
            </button>
          ))}
        </div>
        <span class="gap" />
        <Pick
          label="Who"
          value={filters.persona}
          options={namesIn(runs, ({ persona }) => persona)}
          textOf={personName}
          onPick={(persona) => onChange({ persona })}
        />
        <Pick
          label="Model"
          value={filters.model}
          options={namesIn(runs, ({ model }) => model)}
          textOf={(model) => model}
          onPick={(model) => onChange({ model })}
        />
      </div>
    </>
  );
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <span class="chip on">
      {text}{" "}
      <button type="button" aria-label={`Remove ${text}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

type PickProps = {
  label: string;
  value: string;
  options: readonly string[];
  textOf: (name: string) => string;
  onPick: (value: string) => void;
};

function Pick({ label, value, options, textOf, onPick }: PickProps) {
  const all = value === "" || options.includes(value) ? options : [value, ...options];
  return (
    <select class="chip pick" aria-label={label} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      <option value="">{label}</option>
      {all.map((name) => (
        <option key={name} value={name}>
          {textOf(name)}
        </option>
      ))}
    </select>
  );
}

/** The names in the runs that are listed, in order. */
function namesIn(runs: readonly RunRow[], nameOf: (run: RunRow) => string | null): string[] {
  const names = new Set(runs.map(nameOf).filter((name) => name !== null));
  return [...names].toSorted((one, other) => one.localeCompare(other));
}

function nameOfDays({ day, until }: RunFilters): string {
  const now = Date.now();
  if (until === "" || until === day) return nameOfDay(day, now);
  return day === "" ? `until ${nameOfDay(until, now)}` : `${nameOfDay(day, now)} to ${nameOfDay(until, now)}`;
}

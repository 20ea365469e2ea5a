/** The filters of the list: words, states, who, which model. Each that is set can be taken away. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import type { RunRow } from "../../stores/now/now-store.ts";
import { readRunNames, runNames } from "../../stores/names/run-names.ts";
import { firstLine, personName, shortId } from "../../words/names/names.ts";
import type { MarkKind } from "../../words/runs/run-states.ts";
import { nameOfDay } from "../../words/time/day-words.ts";
import { pressed, type RunFilters, type StateFilter } from "./run-filters.ts";
import "../../parts/forms/chip.css";
import "./filter-bar.css";

type BarProps = { filters: RunFilters; onChange: (changed: Partial<RunFilters>) => void; runs: readonly RunRow[] };

/** Typing is over when nothing was typed for so long. */
const typedMs = 250;

const states: readonly [StateFilter, string, MarkKind][] = [
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
  // A run that came may have a name of its own.
  useEffect(() => void readRunNames(), [runs[0]?.id]);
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
        {filters.schedule !== "" && (
          <Chip text={`Schedule: ${personName(filters.schedule)}`} onRemove={() => onChange({ schedule: "" })} />
        )}
        {filters.agent !== "" && (
          <Chip
            text={agentNameIn(runs, filters.agent) || `Agent ${shortId(filters.agent)}`}
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
          <button
            type="button"
            class="chip"
            aria-pressed={filters.states.length === 0}
            onClick={() => onChange({ states: [] })}
          >
            Any state
          </button>
          {states.map(([state, word, mark]) => (
            <button
              key={state}
              type="button"
              class="chip"
              aria-pressed={filters.states.includes(state)}
              onClick={() => onChange({ states: pressed(filters.states, state) })}
            >
              <Mark kind={mark} />
              {word}
            </button>
          ))}
        </div>
        <span class="gap" />
        <Pick
          label="Who"
          value={filters.persona}
          options={runNames.value.personas}
          textOf={personName}
          onPick={(persona) => onChange({ persona })}
        />
        <Pick
          label="Model"
          value={filters.model}
          options={runNames.value.models}
          textOf={firstLine}
          onPick={(model) => onChange({ model })}
        />
      </div>
    </>
  );
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const shown = firstLine(text);
  return (
    <span class="chip on">
      <bdi class="cut">{shown}</bdi>{" "}
      <button type="button" aria-label={`Remove ${shown}`} onClick={onRemove}>
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

const agentNameIn = (runs: readonly RunRow[], id: string): string =>
  firstLine(runs.find(({ agent }) => agent === id)?.agent_name ?? "");

function nameOfDays({ day, until }: RunFilters): string {
  const now = Date.now();
  if (until === "" || until === day) return nameOfDay(day, now);
  return day === "" ? `until ${nameOfDay(until, now)}` : `${nameOfDay(day, now)} to ${nameOfDay(until, now)}`;
}

/** A schedule in words: what it means is shown before it is saved. */
import { type ReadonlySignal, type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { now } from "../../stores/browser/clock.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import { explainSchedule, setSchedule } from "../../stores/schedule/schedule-actions.ts";
import type { ScheduleStore } from "../../stores/schedule/schedule-store.ts";
import { rowMoney, sumMoney } from "../../words/amounts/money.ts";
import { personName, shownLine } from "../../words/names/names.ts";
import { messageOf } from "../../words/notices/problem.ts";
import { missedWords, nextDays, timesAMonth } from "../../words/time/schedule-words.ts";
import "../../parts/forms/field.css";
import "./make-schedule.css";

/** Typing is over when nothing was typed for so long. */
const typedMs = 200;

type Meaning = { schedule: string; words: string; next: readonly string[] };

export const schedulePersona = () => draftOf("schedule persona");
export const scheduleWords = () => draftOf("schedule words");

export function MakeSchedule({ store }: { store: ScheduleStore }) {
  const persona = schedulePersona();
  const said = scheduleWords();
  const { meaning, problem } = useMeaning(said);
  const cost = useCost(persona.value);
  const id = useId();
  const people = store.people.value.filter(({ name, problem: why }) => why === null && !name.includes(":"));
  const row = store.rows.value?.find((one) => one.persona === persona.value);
  const save = async (change: { words: string | null; on?: boolean }) => {
    const [who, words] = [persona.value, said.value];
    await setSchedule(who, change);
    // What was typed or chosen since stays.
    if (said.value === words) said.value = "";
    if (persona.value === who) persona.value = "";
    await store.read();
  };
  return (
    <section class="make" aria-labelledby="make">
      <div class="sec">
        <h2 id="make">{row ? "Another schedule, in words" : "New schedule, in words"}</h2>
      </div>
      <div class="mk">
        <select
          class="field"
          aria-label="Who runs"
          value={persona}
          onChange={(event) => (persona.value = event.currentTarget.value)}
        >
          <option value="">Who runs</option>
          {people.map(({ name, title }) => (
            <option key={name} value={name}>
              {shownLine(title ?? personName(name))}
            </option>
          ))}
        </select>
        <label class={problem.value === null ? "field" : "field wrong"} for={id}>
          <span class="off">When, in words</span>
          <input
            id={id}
            data-words
            placeholder="every weekday at 7"
            value={said}
            autocomplete="off"
            aria-invalid={problem.value !== null}
            aria-describedby={`${id}-means`}
            onInput={(event) => (said.value = event.currentTarget.value)}
          />
        </label>
      </div>
      <div id={`${id}-means`} aria-live="polite">
        {problem.value !== null && <p class="t-failed small">{problem.value}</p>}
        {meaning.value !== null && <Means meaning={meaning.value} store={store} cost={cost.value} />}
      </div>
      <p class="btns">
        <Button
          busyText="Saving"
          isOff={meaning.value === null || persona.value === ""}
          onPress={() => save({ words: said.value, on: true })}
        >
          {row ? "Change it" : "Add it"}
        </Button>
        {row && (
          <Button kind="quiet" onPress={() => save({ words: null })} busyText="Taking it away">
            Take its schedule away
          </Button>
        )}
        {meaning.value !== null && persona.value === "" && <span class="ink-3">Choose who runs.</span>}
      </p>
    </section>
  );
}

type MeansProps = { meaning: Meaning; store: ScheduleStore; cost: number | null };

function Means({ meaning: { words, schedule, next }, store, cost }: MeansProps) {
  const chosen = schedulePersona().value;
  const row = store.rows.value?.find(({ persona }) => persona === chosen);
  const often = timesAMonth(next);
  return (
    <>
      <p class="means">
        <b>{words.charAt(0).toUpperCase() + words.slice(1)}</b>, this machine’s time ({store.timeZone.value}).{" "}
        {next.length === 0 ? "That never comes." : `Next: ${nextDays(next, now.value, store.timeZone.value)}.`}{" "}
        <code>{schedule}</code>
      </p>
      <p class="means">
        If it was missed: {missedWords(row?.when_missed ?? "run-once")}.
        {cost !== null &&
          often !== null &&
          ` Costs about ${rowMoney(cost)} each time, about ${sumMoney(cost * often)} a month.`}
      </p>
    </>
  );
}

type Explained = { meaning: ReadonlySignal<Meaning | null>; problem: Signal<string | null> };

/** Reads the meaning of words, a moment after they were typed. It counts for those words alone. */
function useMeaning(said: Signal<string>): Explained {
  const found = useSignal<{ text: string; meaning: Meaning } | null>(null);
  const meaning = useComputed(() => (found.value?.text === said.value.trim() ? found.value.meaning : null));
  const problem = useSignal<string | null>(null);
  const text = said.value.trim();
  useEffect(() => {
    problem.value = null;
    if (text === "") return;
    const ended = new AbortController();
    const explain = async () => {
      try {
        const explained = await explainSchedule(text, ended.signal);
        if (!ended.signal.aborted) found.value = { text, meaning: explained };
      } catch (error) {
        if (!ended.signal.aborted) problem.value = messageOf(error);
      }
    };
    const timer = setTimeout(() => void explain(), typedMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [text]);
  return { meaning, problem };
}

/** Reads the cost of a persona's run so far, on average; null: nobody knows. */
function useCost(persona: string): Signal<number | null> {
  const cost = useSignal<number | null>(null);
  const all = useSignal<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    answered(client.GET("/api/v1/cost", { params: { query: { by: "persona" } } })).then(
      ({ rows }) => {
        const known = rows.filter(({ runs, cost_usd }) => runs > 0 && cost_usd !== null && cost_usd > 0);
        all.value = new Map(known.map(({ name, runs, cost_usd }) => [name, (cost_usd ?? 0) / runs]));
      },
      // Without it nothing is said of costs.
      () => {},
    );
  }, []);
  cost.value = all.value.get(persona) ?? null;
  return cost;
}

/** The runs that should have been and weren't, and why; the newest first. */
import type { ScheduleStore } from "../../stores/schedule/schedule-store.ts";
import { personName, shownLine } from "../../words/names/names.ts";
import { dayWords, isMissed, missedWords } from "../../words/time/schedule-words.ts";
import "./missed.css";

const most = 8;

export function Missed({ store }: { store: ScheduleStore }) {
  const rows = store.rows.value ?? [];
  const missed = [...store.history.value.values()]
    .flat()
    .filter(isMissed)
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))
    .slice(0, most);
  const due = rows.filter((row) => row.missed !== null && row.missed > 0);
  return (
    <section aria-labelledby="missed">
      <div class="sec">
        <h2 id="missed">Missed</h2>
      </div>
      {missed.length === 0 && due.length === 0 ? (
        <p class="means">Nothing was missed.</p>
      ) : (
        <dl class="facts">
          {due.map(({ persona, missed: count, when_missed }) => (
            <div key={`due ${persona}`}>
              <dt>
                <bdi>{nameOf(store, persona)}</bdi>
              </dt>
              <dd>
                {count === 1 ? "One time is" : `${count} times are`} due and had no turn yet. By its settings:{" "}
                {missedWords(when_missed)}.
              </dd>
            </div>
          ))}
          {missed.map(({ persona, day, time, facet, reason, at }) => (
            <div key={`${persona} ${day} ${time} ${facet} ${at}`}>
              <dt>
                {dayWords(day)}
                {time === null ? "" : `, ${time.slice(0, 2)}:${time.slice(2)}`}
              </dt>
              <dd>
                <bdi>{nameOf(store, persona)}</bdi>
                {facet !== null && (
                  <>
                    , <bdi>{shownLine(store.facets.value.get(facet)?.title ?? personName(facet))}</bdi>
                  </>
                )}
                : {reason}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

const nameOf = (store: ScheduleStore, persona: string) =>
  shownLine(store.people.value.find(({ name }) => name === persona)?.title ?? personName(persona));

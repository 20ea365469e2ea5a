/** A day: what happened by the facets' events, and its files as they read. */
import { useSignal } from "@preact/signals";
import { answered, client } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Facet } from "../../parts/badges/facet.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { SideTitle } from "../../parts/layout/side-view.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { countOf } from "../../words/amounts/money.ts";
import { visible } from "../../words/text/visible-text.ts";
import { EntrySection } from "./entry-page.tsx";
import { dayTitle, facetAddress } from "./journal-place.ts";

/** Files that are read at once. */
const filesAtOnce = 5;

export function DayPage({ day }: { day: string }) {
  const { data, problem, read } = useAnswer(
    day,
    (signal) => answered(client.GET("/api/v1/journal/days/{id}", { params: { path: { id: day } }, signal })),
    ["days", "facets"],
  );
  const shown = useSignal(filesAtOnce);
  const { files = [], events = [] } = data.value ?? {};
  const left = files.length - shown.value;
  return (
    <>
      <header class="shown-head">
        <SideTitle isIndex={false}>{dayTitle(day)}</SideTitle>
        {data.value && (
          <span class="ink-3">
            {countOf(files.length, "file")}, {countOf(events.length, "event")}
          </span>
        )}
        <div class="do">
          <a class="btn" href={`/runs?day=${day}`}>
            Runs of the day
          </a>
        </div>
      </header>
      <div class="shown-body">
        <Loading isThere={data.value !== null} error={problem.value} onRetry={read} lines={2} />
        {data.value && files.length === 0 && events.length === 0 && (
          <p class="ink-2">Nothing is written down for this day.</p>
        )}
        {events.length > 0 && (
          <ul class="day-events" aria-label="Events">
            {events.map(({ facet, title, start, end, summary, occurred, path, line }) => (
              <li key={`${path} ${line}`}>
                <span class="when">{timesOf(start, end)}</span>
                <div>
                  <b class="strong">{visible(title)}</b> {!occurred && <span class="ink-3">planned</span>}
                  {summary !== undefined && <p class="ink-2">{visible(summary)}</p>}
                </div>
                <a class="ink-3 small plain" href={facetAddress(facet)}>
                  <Facet name={facet} />
                </a>
              </li>
            ))}
          </ul>
        )}
        {files.slice(0, shown.value).map(({ path }) => (
          <EntrySection key={path} path={path} />
        ))}
        {left > 0 && (
          <Button kind="quiet" onPress={() => void (shown.value += filesAtOnce)}>
            {countOf(left, "more file")}
          </Button>
        )}
      </div>
    </>
  );
}

/** `09:00 to 09:10`; seconds don't matter here. */
function timesOf(start: string | undefined, end: string | undefined): string {
  const [from, to] = [start, end].map((time) => visible(time ?? "").slice(0, 5));
  if (!from) return "";
  return to && to !== from ? `${from} to ${to}` : from;
}

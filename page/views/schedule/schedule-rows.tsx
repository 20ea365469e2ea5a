/** A persona of the schedule as a row, and below it a row for each facet of its last time. */
import { useSignal } from "@preact/signals";
import { ApiError } from "../../api/api-error.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { now } from "../../stores/browser/clock.ts";
import { runSchedule, setSchedule } from "../../stores/schedule/schedule-actions.ts";
import type { HistoryRow, ScheduleRow, ScheduleStore } from "../../stores/schedule/schedule-store.ts";
import { firstLine, personName, shortId, shownLine } from "../../words/names/names.ts";
import type { MarkKind } from "../../words/runs/run-states.ts";
import { cellsOfFacet, dayWords, isMissed, lastGroup, nextWords } from "../../words/time/schedule-words.ts";
import { whenOf } from "../../words/time/times.ts";
import { MonthStrip } from "./month-strip.tsx";
import { facetColour } from "../../parts/badges/facet.tsx";

type RowProps = { row: ScheduleRow; store: ScheduleStore; isFirstFailed: boolean; onChange: () => void };

const marks = { running: "working", done: "done", failed: "failed", skipped: "missed" } as const;
const words = { running: "Working", done: "Done", failed: "Failed", skipped: "Missed" } as const;

export function ScheduleRows({ row, store, isFirstFailed, onChange }: RowProps) {
  const { persona, on, facets } = row;
  const history = store.history.value.get(persona) ?? [];
  const last = lastGroup(history);
  const isMany = facets !== "no" && last.some(({ facet }) => facet !== null);
  const failed = last.find(({ state }) => state === "failed");
  const isOpen = useSignal<boolean | null>(null);
  const isShown = isMany && (isOpen.value ?? failed !== undefined);
  const person = store.people.value.find(({ name }) => name === persona);
  const result = (["running", "failed", "done", "skipped"] as const).find((one) =>
    last.some(({ state }) => state === one),
  );
  const mark: MarkKind = !on ? "stopped" : result === undefined ? "waits" : marks[result];
  const name = shownLine(person?.title ?? personName(persona));
  return (
    <>
      <tr class={on ? "" : "off-row"} data-row>
        <td class="st">
          <Mark kind={mark} label={!on ? "Paused" : result === undefined ? "Never ran" : words[result]} />
        </td>
        <th scope="row">
          {isMany && (
            <button
              type="button"
              class="fold"
              aria-expanded={isShown}
              aria-label={`Facets of ${name}`}
              onClick={() => (isOpen.value = !isShown)}
            >
              <Icon name={isShown ? "down" : "next"} />
            </button>
          )}
          <a class="plain" href={`/agents/${persona}`}>
            <bdi>{name}</bdi>
          </a>
        </th>
        <td class="when">
          <button type="button" class="as-link" title={`${row.schedule}. Change it`} onClick={onChange}>
            <bdi>{whenWords(row)}</bdi>
          </button>
        </td>
        <td class="last">
          <Last rows={last} store={store} />
        </td>
        <td class="mo">
          <Strip store={store} cellOf={(day) => cellOf(store, persona, day)} />
        </td>
        <td class="nx">
          {on ? (
            <Next row={row} timeZone={store.timeZone.value} />
          ) : (
            <span class="ink-3" title={row.reason ?? undefined}>
              paused
            </span>
          )}
        </td>
        <td class="do">
          <RowActions row={row} name={name} store={store} />
        </td>
      </tr>
      {isShown &&
        last.map((run) => (
          <FacetRow key={run.facet} run={run} rows={history} store={store} isFirst={isFirstFailed && run === failed} />
        ))}
    </>
  );
}

function RowActions({ row, name, store }: { row: ScheduleRow; name: string; store: ScheduleStore }) {
  const { persona, on } = row;
  const set = async (isOn: boolean) => {
    await setSchedule(persona, { on: isOn });
    await store.read();
  };
  return (
    <span class="acts">
      {on && <RunNow persona={persona} name={name} store={store} keyName="R" />}
      <Button
        kind="quiet"
        keyName="P"
        label={`${on ? "Pause" : "Go on"}: ${name}`}
        busyText={on ? "Pausing" : "Starting"}
        onPress={() => set(!on)}
      >
        {on ? "Pause" : "Go on"}
      </Button>
    </span>
  );
}

type RunNowProps = {
  persona: string;
  name: string;
  store: ScheduleStore;
  facet?: string;
  day?: string;
  isAgain?: boolean;
  isFirst?: boolean;
  keyName?: string;
};

/** The button that runs it now: what was done before is done again only when that is asked for. */
function RunNow({ persona, name, store, facet, day, isAgain = false, isFirst = false, keyName }: RunNowProps) {
  const wasDone = useSignal(isAgain);
  const run = async () => {
    const asked = { ...(facet !== undefined && { facet }), ...(day !== undefined && { day }) };
    try {
      await runSchedule(persona, { ...asked, force: wasDone.value });
      wasDone.value = isAgain;
      await store.read();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409 && error.hint !== undefined) wasDone.value = true;
      throw error;
    }
  };
  return (
    <Button
      kind={isFirst ? "primary" : "quiet"}
      label={`${wasDone.value ? "Run again" : "Run now"}: ${name}`}
      busyText="Starting"
      onPress={run}
      {...(keyName !== undefined && { keyName })}
    >
      {wasDone.value ? "Run again" : "Run now"}
    </Button>
  );
}

type FacetRowProps = { run: HistoryRow; rows: readonly HistoryRow[]; store: ScheduleStore; isFirst: boolean };

function FacetRow({ run, rows, store, isFirst }: FacetRowProps) {
  const { facet, state, persona, day } = run;
  const known = facet === null ? undefined : store.facets.value.get(facet);
  const cells = facet === null ? null : cellsOfFacet(rows, facet);
  const title = shownLine(known?.title ?? (facet === null ? "All of it" : personName(facet)));
  return (
    <tr class={isFirst ? "kid sel" : "kid"} data-row>
      <td class="st">
        <Mark kind={marks[state]} label={words[state]} />
      </td>
      <th scope="row">
        <span class="facet" style={facetColour(known?.color)}>
          <bdi class="cut">{title}</bdi>
        </span>
      </th>
      <td class="when" />
      <td class="last">
        <Last rows={[run]} store={store} />
      </td>
      <td class="mo">{cells !== null && <Strip store={store} cellOf={(date) => cells.get(date)} />}</td>
      <td class="nx" />
      <td class="do">
        {facet !== null && state !== "running" && (
          <span class={isFirst ? "acts shown" : "acts"}>
            <RunNow
              persona={persona}
              facet={facet}
              day={day}
              name={title}
              store={store}
              isAgain
              isFirst={isFirst}
              keyName="R"
            />
          </span>
        )}
      </td>
    </tr>
  );
}

function whenWords({ words: said, schedule, facets }: ScheduleRow): string {
  // That it comes after midnight stands above them all.
  const when =
    schedule === "daily"
      ? "every day"
      : (said ?? schedule).replace(/^(?:Every|Each|The)\b/, (word) => word.toLowerCase());
  return facets === "no" ? when : `each ${facets === "active" ? "active " : ""}facet, ${when}`;
}

function Next({ row, timeZone }: { row: ScheduleRow; timeZone: string }) {
  const { next, missed } = row;
  return (
    <>
      {next === null ? <span class="ink-3">never</span> : nextWords(next, now.value, timeZone)}
      {missed !== null && missed > 0 && <span class="ink-3 small"> {missed} due</span>}
    </>
  );
}

/** How the last time went, with a way to its run. */
function Last({ rows, store }: { rows: readonly HistoryRow[]; store: ScheduleStore }) {
  const [first] = rows;
  if (!first) return <span class="ink-3">never</span>;
  const failed = rows.filter(({ state }) => state === "failed");
  const told = failed[0] ?? first;
  const at = whenOf(Date.parse(told.at), now.value, store.timeZone.value);
  if (isMissed(told)) return <span class="ink-2">{`missed ${dayWords(told.day)}`}</span>;
  const what =
    failed.length === 0
      ? told.state === "running"
        ? `since ${at}`
        : at
      : rows.length > 1
        ? `${failed.length} of ${rows.length} failed`
        : firstLine(told.reason ?? "") || "failed";
  return (
    <>
      {told.agent_id === null ? (
        what
      ) : (
        <a
          class={failed.length > 0 ? "t-failed cut" : "cut"}
          href={`/runs/${told.agent_id}`}
          title={`Run ${shortId(told.agent_id)}${told.reason === null ? "" : `: ${told.reason}`}`}
        >
          <bdi>{what}</bdi>
        </a>
      )}
      {failed.length > 0 && <span class="ink-3">, {at}</span>}
    </>
  );
}

function Strip({ store, cellOf: of }: { store: ScheduleStore; cellOf: Parameters<typeof MonthStrip>[0]["cellOf"] }) {
  const { value } = store.month;
  if (value === null) return null;
  const days = value.days.map(({ day }) => day);
  return <MonthStrip month={value.month} days={days} cellOf={of} now={now.value} timeZone={store.timeZone.value} />;
}

function cellOf(store: ScheduleStore, persona: string, day: string) {
  return store.month.value?.days.find((one) => one.day === day)?.cells.find((cell) => cell.persona === persona);
}

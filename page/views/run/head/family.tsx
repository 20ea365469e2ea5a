/** The runs that have to do with this one, as a small tree to walk. */
import { Mark } from "../../../parts/badges/mark.tsx";
import type { Run } from "../../../stores/runs/run-store.ts";
import { now } from "../../../stores/browser/clock.ts";
import { runAddress } from "../../../words/navigation/addresses.ts";
import { personName } from "../../../words/names/names.ts";
import { runStates } from "../../../words/runs/run-states.ts";
import { whenOf } from "../../../words/time/times.ts";
import { familyRows } from "./family-rows.ts";
import { askedLine } from "../../../words/runs/asked-line.ts";
import "./family.css";

export function Family({ run }: { run: Run }) {
  if (run.family.length === 0) return null;
  return (
    <section aria-labelledby="family">
      <h2 id="family">Family</h2>
      <ol class="fam">
        {familyRows(run.family).map(({ run: relative, word, depth, hasMore }) => (
          <li
            key={relative?.id ?? run.id}
            class={[relative === null && "here", hasMore && "mid"].filter(Boolean).join(" ") || undefined}
            style={{ "--d": String(depth) }}
          >
            {relative === null ? <ThisRun run={run} /> : <Relative run={relative} word={word} />}
          </li>
        ))}
      </ol>
      {!run.family_is_whole && <p class="ink-3 small">More came of it than is shown here.</p>}
    </section>
  );
}

type Row = Run["family"][number]["run"];

function ThisRun({ run }: { run: Row }) {
  return (
    <>
      <Mark {...markOf(run)} />
      <b>This run</b>
      <span class="ink-3">{whenOf(Date.parse(run.requested_at), now.value)}</span>
    </>
  );
}

function Relative({ run, word }: { run: Row; word: string }) {
  return (
    <>
      <a class="plain cut" href={runAddress(run.id)} title={askedLine(run.prompt)} data-row>
        <Mark {...markOf(run)} />
        <span class="cut">{personName(run.persona)}</span>
        <span class="ink-3">{whenOf(Date.parse(run.requested_at), now.value)}</span>
      </a>
      <span class="rel">{word}</span>
    </>
  );
}

const markOf = ({ state }: { state: Run["state"] }) => ({ kind: runStates[state].mark, label: runStates[state].word });

/** The runs that have to do with this one: where it came from above it, what came of it below. */
import { Mark } from "../../parts/mark.tsx";
import type { Run } from "../../stores/run-store.ts";
import { now } from "../../stores/clock.ts";
import { personName } from "../../words/names.ts";
import { runStates } from "../../words/run-states.ts";
import { whenOf } from "../../words/times.ts";

const words = {
  continued_from: "continued from",
  continued_by: "continued",
  handed_from: "handed on from",
  handed_to: "handed to",
  task_of: "sent off by",
  task: "sent off",
} as const;

const before: ReadonlySet<string> = new Set(["continued_from", "handed_from", "task_of"]);

export function Family({ run }: { run: Run }) {
  const above = run.family.filter(({ relation }) => before.has(relation));
  const below = run.family.filter(({ relation }) => !before.has(relation));
  if (run.family.length === 0) return null;
  const depth = above.length > 0 ? 1 : 0;
  return (
    <section aria-labelledby="family">
      <h2 id="family">Family</h2>
      <ol class="fam">
        {above.map(({ relation, run: relative }) => (
          <Relative key={relative.id} relation={words[relation]} run={relative} depth={0} />
        ))}
        <li class="here" style={{ "--d": String(depth) }}>
          <Mark {...markOf(run)} />
          <b>This run</b>
          <span class="ink-3">{whenOf(Date.parse(run.requested_at), now.value)}</span>
        </li>
        {below.map(({ relation, run: relative }, index) => (
          <Relative
            key={relative.id}
            relation={words[relation]}
            run={relative}
            depth={depth + 1}
            hasMore={index < below.length - 1}
          />
        ))}
      </ol>
    </section>
  );
}

type RelativeProps = { relation: string; run: Run["family"][number]["run"]; depth: number; hasMore?: boolean };

function Relative({ relation, run, depth, hasMore }: RelativeProps) {
  return (
    <li class={hasMore ? "mid" : undefined} style={{ "--d": String(depth) }}>
      <a class="plain cut" href={`/runs/${run.id}`}>
        <Mark {...markOf(run)} />
        <span class="cut">{personName(run.persona)}</span>
        <span class="ink-3">{whenOf(Date.parse(run.requested_at), now.value)}</span>
      </a>
      <span class="rel">{relation}</span>
    </li>
  );
}

const markOf = ({ state }: { state: Run["state"] }) => ({ kind: runStates[state].mark, label: runStates[state].word });

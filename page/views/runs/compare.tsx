/** Two runs beside each other: what was asked differently, where they part, and how long each step took. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { readSteps, type ReadRun } from "../../stores/runs/read-steps.ts";
import { axisOf } from "../../trajectory/time-axis.ts";
import { lanesOf } from "../../trajectory/lanes.ts";
import { spanOf } from "../../words/amounts/durations.ts";
import { countOf, rowMoney } from "../../words/amounts/money.ts";
import { runStates } from "../../words/runs/run-states.ts";
import { clockOf } from "../../words/time/times.ts";
import { sideBySideAddress } from "../../words/navigation/addresses.ts";
import { firstDifference, requestDifferences } from "./compare-runs.ts";
import "./compare.css";

const percent = (part: number) => `${(part * 100).toFixed(2)}%`;

export function Compare({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const read = useSignal<readonly ReadRun[] | null>(null);
  const problem = useSignal<unknown>(null);
  useEffect(() => {
    read.value = null;
    const ended = new AbortController();
    Promise.all(ids.map((id) => readSteps(id, ended.signal))).then(
      (runs) => (read.value = runs.toSorted((one, other) => (one.run.id < other.run.id ? -1 : 1))),
      (error: unknown) => {
        if (!ended.signal.aborted) problem.value = error;
      },
    );
    return () => ended.abort();
  }, [ids.join(" ")]);
  const [one, other] = read.value ?? [];
  return (
    <section class="dock" aria-label="Compare two runs">
      <div class="dh">
        <b>Compare</b>
        {one && other && <Differences one={one} other={other} />}
        <span class="gap" />
        {one && other && (
          <a class="btn primary" href={sideBySideAddress(one.run.id, other.run.id)}>
            Side by side
          </a>
        )}
        <button type="button" class="btn quiet icon" aria-label="Choose none" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {problem.value !== null && <Problem error={problem.value} />}
      {one && other && <Lines runs={[one, other]} />}
    </section>
  );
}

export function Differences({ one, other }: { one: ReadRun; other: ReadRun }) {
  const asked = requestDifferences(one.run, other.run);
  const step = firstDifference(one.steps.steps, other.steps.steps);
  return (
    <span class="ink-2">
      {asked.length === 0 ? "Same text, persona and model. " : `Another ${asked.join(", another ")}. `}
      <b class="strong">{step === null ? "They did the same." : `The first difference is step ${step}.`}</b>
    </span>
  );
}

function Lines({ runs }: { runs: readonly ReadRun[] }) {
  const longest = Math.max(1, ...runs.map(({ steps }) => steps.latest - steps.from));
  const span = { from: 0, to: longest };
  return (
    <>
      {runs.map(({ run, steps }) => {
        const { model, tools } = lanesOf(steps.steps, span, steps.from, steps.latest);
        const { mark, word } = runStates[run.state];
        const numbered = steps.steps.filter(({ number }) => number > 0).length;
        return (
          <div class="cmp" key={run.id}>
            <a class="lb plain" href={`/runs/${run.id}`}>
              <Mark kind={mark} label={word} />
              {clockOf(Date.parse(run.requested_at))}
            </a>
            <span class="ln" aria-hidden="true">
              {[...model, ...tools].map(({ step, left, width }) => (
                <i
                  key={step.line}
                  class={step.state === "failed" ? "x" : step.kind === "tool" ? "t" : "m"}
                  style={{ left: percent(left), width: percent(width) }}
                />
              ))}
            </span>
            <span class="num">{countOf(numbered, "step")}</span>
            <span class="num">{spanOf(steps.latest - steps.from)}</span>
            <span class="num">{countOf(run.input_tokens + run.output_tokens, "token")}</span>
            <span class="num">{rowMoney(run.cost_usd, run.cost_is_estimate)}</span>
          </div>
        );
      })}
      <div class="cmp ax" aria-hidden="true">
        <span />
        <span class="ln">
          {axisOf(span)
            .labels.filter(({ at }) => at < 0.96)
            .map(({ at, text }) => (
              <em key={text} style={{ left: percent(at) }}>
                {text}
              </em>
            ))}
        </span>
      </div>
    </>
  );
}

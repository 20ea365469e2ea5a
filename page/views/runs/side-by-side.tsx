/** Two runs beside each other, step by step: where they part, and what each did at every step. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useKeys } from "../../keys/keys.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { useRowsInView } from "../../parts/list/use-rows-in-view.ts";
import { View } from "../../parts/layout/view.tsx";
import { now } from "../../stores/browser/clock.ts";
import { readSteps, type ReadRun } from "../../stores/runs/read-steps.ts";
import { runAddress } from "../../words/navigation/addresses.ts";
import { spanOf } from "../../words/amounts/durations.ts";
import { rowMoney } from "../../words/amounts/money.ts";
import { firstLine, personName } from "../../words/names/names.ts";
import { runStates } from "../../words/runs/run-states.ts";
import { whenOf } from "../../words/time/times.ts";
import { Differences } from "./compare.tsx";
import { pairsOf, type StepPair } from "./compare-runs.ts";
import { PairDetail } from "./pair-detail.tsx";
import { PairRow } from "./pair-row.tsx";
import { askedLine } from "../../words/runs/asked-line.ts";
import "./side-by-side.css";

const rowHeight = 29;

export default function SideBySide({ one, other }: { one: string; other: string }) {
  const answer = useAnswer(`compare ${one} ${other}`, (signal) =>
    Promise.all([readSteps(one, signal), readSteps(other, signal)]),
  );
  const runs = answer.data.value;
  return (
    <div class="side-by-side">
      <View title="Two runs" sum={runs !== null && <Differences one={runs[0]} other={runs[1]} />}>
        <Loading isThere={runs !== null} error={answer.problem.value} onRetry={answer.read} rows={10} />
        {runs !== null && <Pairs one={runs[0]} other={runs[1]} />}
      </View>
    </div>
  );
}

function Pairs({ one, other }: { one: ReadRun; other: ReadRun }) {
  const scroller = useRef<HTMLDivElement>(null);
  const pairs = useMemo(() => pairsOf(one.steps.steps, other.steps.steps), [one, other]);
  const differing = pairs.filter(({ isSame }) => !isSame);
  const chosen = useSignal(differing[0]?.number ?? 1);
  const { first, last } = useRowsInView(scroller, { count: pairs.length, height: rowHeight });
  const choose = (pair: StepPair | undefined) => {
    if (pair) chosen.value = pair.number;
  };
  useKeys({
    f: () => choose(differing[0]),
    j: () => choose(pairs[chosen.value]),
    k: () => choose(pairs[chosen.value - 2]),
  });
  useEffect(() => {
    const { current } = scroller;
    if (!current) return;
    const top = (chosen.value - 1) * rowHeight;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + rowHeight > current.scrollTop + current.clientHeight)
      current.scrollTop = top + rowHeight - current.clientHeight;
  }, [chosen.value]);
  const shown = pairs[chosen.value - 1];
  return (
    <>
      <div class="pair-heads">
        <Head read={one} />
        <Head read={other} />
      </div>
      <p class="pair-ways">
        <Button isOff={differing.length === 0} onPress={() => choose(differing[0])}>
          First difference <kbd aria-hidden="true">F</kbd>
        </Button>
        <Button
          kind="quiet"
          isOff={!differing.some(({ number }) => number > chosen.value)}
          onPress={() => choose(differing.find(({ number }) => number > chosen.value))}
        >
          Next difference
        </Button>
        <span class="ink-2">
          {differing.length === 0 ? "No step differs." : `${differing.length} of ${pairs.length} steps differ.`}
        </span>
      </p>
      <div class="pair-rows" ref={scroller} tabIndex={-1}>
        <ol aria-label="Steps of both" style={{ height: `${pairs.length * rowHeight}px` }}>
          {pairs.slice(first, last).map((pair) => (
            <PairRow
              key={pair.number}
              pair={pair}
              top={`${(pair.number - 1) * rowHeight}px`}
              isChosen={pair.number === chosen.value}
              onChoose={() => choose(pair)}
            />
          ))}
        </ol>
      </div>
      {shown && <PairDetail pair={shown} />}
    </>
  );
}

function Head({ read: { run, steps } }: { read: ReadRun }) {
  const { mark, word } = runStates[run.state];
  return (
    <div class="pair-head">
      <a class="plain strong cut" href={runAddress(run.id)}>
        <Mark kind={mark} label={word} /> <bdi>{askedLine(run.prompt).slice(0, 300) || "(no text)"}</bdi>
      </a>
      <span class="ink-2 cut">
        <bdi>{personName(run.persona)}</bdi>, {whenOf(Date.parse(run.requested_at), now.value)},{" "}
        {spanOf(steps.latest - steps.from)}
        {run.model !== null && (
          <>
            , <bdi>{firstLine(run.model)}</bdi>
          </>
        )}{" "}
        {rowMoney(run.cost_usd, run.cost_is_estimate)}
      </span>
    </div>
  );
}

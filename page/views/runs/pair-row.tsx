/** The steps of two runs that have the same number, as a row. */
import type { Step } from "../../trajectory/step.ts";
import { tookOf } from "../../words/amounts/durations.ts";
import { visible } from "../../words/text/visible-text.ts";
import { wordsOf } from "../run/selection/step-words.ts";
import type { StepPair } from "./compare-runs.ts";

/** The longest that is shown of a text: it is cut at the row's end anyway. */
const mostShown = 300;

type RowProps = { pair: StepPair; top: string; isChosen: boolean; onChoose: () => void };

export function PairRow({ pair: { number, one, other, isSame }, top, isChosen, onChoose }: RowProps) {
  const kinds = ["pair", isSame ? "" : "differs", isChosen ? "sel" : ""].filter(Boolean).join(" ");
  return (
    <li class={kinds} style={{ top }}>
      <button type="button" aria-pressed={isChosen} onClick={onChoose} data-row>
        <span class="num">{number}</span>
        <Side step={one} />
        <span class="pair-sign" role="img" aria-label={isSame ? "the same" : "differs"}>
          {isSame ? "" : "≠"}
        </span>
        <Side step={other} />
      </button>
    </li>
  );
}

function Side({ step }: { step: Step | undefined }) {
  if (!step) return <span class="ink-3 pair-side">no such step</span>;
  const { head, text, isMono, result } = wordsOf(step);
  return (
    <span class={step.state === "failed" ? "pair-side t-failed" : "pair-side"}>
      <bdi class="cut">
        {isMono ? <code>{visible(head.slice(0, mostShown))}</code> : <b>{visible(head.slice(0, mostShown))}</b>}{" "}
        {visible(text.slice(0, mostShown))} <span class="ink-3">{visible(result)}</span>
      </bdi>
      <span class="num ink-3">{step.to === null ? "" : tookOf(step.to - step.from)}</span>
    </span>
  );
}

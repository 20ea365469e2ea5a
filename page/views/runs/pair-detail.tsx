/** A step of both runs in full: what changed from one to the other, or the two texts beside each other. */
import { Diff } from "../../parts/content/diff.tsx";
import { LongText } from "../../parts/content/result.tsx";
import type { Step } from "../../trajectory/step.ts";
import { asJson } from "../../words/text/values.ts";
import { textOfStep } from "../run/selection/step-words.ts";
import type { StepPair } from "./compare-runs.ts";

/** A longer text isn't compared line by line, in characters. */
const mostCompared = 100_000;

export function PairDetail({ pair: { number, one, other, isSame } }: { pair: StepPair }) {
  const texts = partsOf(one, other);
  return (
    <section class="pair-detail" aria-label={`Step ${number}`} tabIndex={0}>
      <h2>Step {number}</h2>
      {isSame && <p class="ink-2">Both did the same.</p>}
      {texts.map(({ title, ours, theirs }) => {
        if (ours === "" && theirs === "") return null;
        const isCompared = ours !== theirs && ours.length + theirs.length < mostCompared && one && other;
        return (
          <div key={title}>
            <h3>{title}</h3>
            {ours === theirs && <LongText text={ours} label={title} />}
            {ours !== theirs && isCompared && <Diff before={ours} after={theirs} />}
            {ours !== theirs && !isCompared && (
              <div class="pair-texts">
                <LongText text={ours} label={`${title} of the first run`} />
                <LongText text={theirs} label={`${title} of the second run`} />
              </div>
            )}
          </div>
        );
      })}
    </section>
  );
}

type Part = { title: string; ours: string; theirs: string };

/** Divides a step into its parts: the same of both where both are of one kind. */
function partsOf(one: Step | undefined, other: Step | undefined): Part[] {
  if (one?.kind === "tool" && other?.kind === "tool")
    return [
      { title: "Tool", ours: one.tool, theirs: other.tool },
      { title: "Arguments", ours: asJson(one.args), theirs: asJson(other.args) },
      { title: "Result", ours: asJson(one.result), theirs: asJson(other.result) },
    ];
  return [{ title: "Text", ours: one ? textOfStep(one) : "", theirs: other ? textOfStep(other) : "" }];
}

/** The failure that ended a run: a sentence, the step that did it, and the next sensible thing. */
import { Button } from "../../../parts/buttons/button.tsx";
import type { Run } from "../../../stores/runs/run-store.ts";
import { runAgain } from "../../../stores/runs/run-actions.ts";
import { tookOf } from "../../../words/amounts/durations.ts";
import { mainArgument } from "../../../words/runs/questions.ts";
import { firstLine } from "../../../words/names/names.ts";
import { failureDetail, failureSentence } from "../../../words/runs/reasons.ts";
import { visible } from "../../../words/text/visible-text.ts";
import type { StepOf } from "../../../trajectory/step.ts";
import type { RunPage } from "../selection/run-page.ts";
import { asText } from "../selection/step-words.ts";
import { goToRun } from "../selection/go-to-run.ts";
import "./failure.css";

export function Failure({ run, page }: { run: Run; page: RunPage }) {
  if (run.state !== "failed" && run.state !== "orphaned") return null;
  const failed = page.failures.value;
  const last = failed.at(-1);
  const detail = failureDetail(run);
  const numbered = page.steps.value.reduce((most, { number }) => Math.max(most, number), 0);
  return (
    <section class="first" aria-label="What failed">
      <div class="fx">
        <p class="say">{failureSentence(run)}</p>
        {detail !== "" && <p class="small ink-2">{detail}</p>}
        {last?.kind === "tool" && (
          <p class="small">
            <code>{firstLine(`${last.tool} ${mainArgument(last.args)}`)}</code>{" "}
            <span class="ink-2">
              {last.to === null ? "" : `${tookOf(last.to - last.from)}. `}Step {last.number} of {numbered}.
            </span>
          </p>
        )}
        {last?.kind === "tool" && <p class="small it-said t-failed">{errorOf(last)}</p>}
      </div>
      <div class="btns">
        {run.agent === null && (
          <Button kind="primary" keyName="R" busyText="Starting" onPress={() => runAgain(run.id).then(goToRun)}>
            Run again <kbd aria-hidden="true">R</kbd>
          </Button>
        )}
        {failed.length > 1 && (
          <Button kind="quiet" onPress={() => page.chooseFirstFailure()}>
            {failed.length - 1} earlier failed {failed.length === 2 ? "step" : "steps"}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Characters of a tool's error that are shown here: its step has it all. */
const longestError = 300;

const errorOf = ({ result, output }: StepOf<"tool">): string =>
  visible((asText(result) || output).trim().slice(0, longestError).toWellFormed());

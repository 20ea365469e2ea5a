/** What ended a run that has failed: a sentence, the step that did it, and the next sensible thing. */
import { Button } from "../../parts/button.tsx";
import type { Run } from "../../stores/run-store.ts";
import { runAgain } from "../../stores/run-actions.ts";
import { tookOf } from "../../words/durations.ts";
import { mainArgument } from "../../words/questions.ts";
import { failureDetail, failureSentence } from "../../words/reasons.ts";
import type { RunPage } from "./run-page.ts";
import { goToRun } from "./go-to-run.ts";

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
        <p class="small">
          {last?.kind === "tool" && (
            <>
              <code>
                {last.tool} {mainArgument(last.args)}
              </code>{" "}
              <span class="ink-2">
                {last.to === null ? "" : `${tookOf(last.to - last.from)}. `}Step {last.number} of {numbered}.
              </span>
            </>
          )}
          {last?.kind !== "tool" && <span class="ink-2">{detail}</span>}
        </p>
      </div>
      <div class="btns">
        <Button kind="primary" keyName="R" busyText="Starting" onPress={() => runAgain(run.id).then(goToRun)}>
          Run again <kbd aria-hidden="true">R</kbd>
        </Button>
        {failed.length > 1 && (
          <Button kind="quiet" class="no-phone" onPress={() => page.chooseFirstFailure()}>
            {failed.length - 1} earlier failed {failed.length === 2 ? "step" : "steps"}
          </Button>
        )}
      </div>
    </section>
  );
}

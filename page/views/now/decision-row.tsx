/** Something that waits for a decision: the question, the least that is needed to decide, and the answer. */
import { useSignal } from "@preact/signals";
import { Decide } from "../../parts/decide.tsx";
import { Diff, PlusMinus } from "../../parts/diff.tsx";
import { Row } from "../../parts/row.tsx";
import { now } from "../../stores/clock.ts";
import { type Decision, nowState } from "../../stores/now-store.ts";
import type { Kept } from "../../stores/steady-list.ts";
import { waitOf } from "../../words/durations.ts";
import { lineDiff } from "../../words/line-diff.ts";
import { rowMoney } from "../../words/money.ts";
import { personName } from "../../words/names.ts";
import { changeOf, mainArgument, questionOf } from "../../words/questions.ts";

export function DecisionRow({ item: decision, isGone }: Kept<Decision>) {
  const isOpen = useSignal(true);
  const who = decision.agent_name ?? personName(decision.persona ?? decision.tool ?? "An agent");
  const run = nowState.value?.working.find(({ id }) => id === decision.run);
  const change = changeOf(decision.args);
  const isDecided = isGone || decision.status !== "open";
  return (
    <Row
      mark={isDecided ? "done" : "you"}
      state={isDecided ? "Decided" : "Needs you"}
      who={who}
      from={fromOf(decision)}
      cost={run ? rowMoney(run.cost_usd, run.cost_is_estimate) : ""}
      age={waitOf(now.value - Date.parse(decision.asked_at))}
      isOpen={isOpen.value}
      isGone={isDecided}
      onToggle={() => {
        isOpen.value = !isOpen.value;
      }}
      opened={
        <>
          {change && <Diff before={change.before} after={change.after} />}
          <Decide decision={decision} isDecided={isDecided} />
        </>
      }
    >
      {decision.run === null ? (
        <span class="say">{questionOf(decision)}</span>
      ) : (
        <a class="say" href={`/runs/${decision.run}`}>
          {questionOf(decision)}
        </a>
      )}
      <span class="sub">
        {decision.kind === "loop" && <code>{decision.tool}</code>}
        <code class="wide">{decision.path ?? change?.path ?? mainArgument(decision.args)}</code>
        {change && <PlusMinus of={lineDiff(change.before, change.after)} />}
        {decision.kind === "call" && change === null && <span class="cut">{decision.why}</span>}
      </span>
    </Row>
  );
}

function fromOf({ workspace, agent }: Decision): string | undefined {
  if (workspace !== null) return "in a thread";
  return agent === null ? undefined : "long-lived agent";
}

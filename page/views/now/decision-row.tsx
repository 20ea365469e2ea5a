/** Something that waits for a decision: the question, the least that is needed to decide, and the answer. */
import { Button } from "../../parts/buttons/button.tsx";
import { Decide } from "../../parts/requests/decide.tsx";
import { WholeArguments } from "../../parts/requests/whole-arguments.tsx";
import { Diff, PlusMinus } from "../../parts/content/diff.tsx";
import { Row } from "../../parts/list/row.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { Decision } from "../../stores/now/decisions-store.ts";
import { nowState } from "../../stores/now/now-store.ts";
import type { Kept } from "../../stores/now/steady-list.ts";
import { waitOf } from "../../words/amounts/durations.ts";
import { lineDiff } from "../../words/diff/line-diff.ts";
import { rowMoney } from "../../words/amounts/money.ts";
import { firstLine } from "../../words/names/names.ts";
import { changeOf, mainArgument, questionOf } from "../../words/runs/questions.ts";
import { stopRun } from "../../stores/runs/run-actions.ts";
import { SayButton } from "./say-button.tsx";
import { hearerOf, Talk } from "./talk.tsx";
import { useOpened } from "./use-opened.ts";
import { whoOf } from "./who.tsx";

export function DecisionRow({ item: decision, isGone }: Kept<Decision>) {
  const { isOpen, wantsToSay, toggle, say } = useOpened(true);
  const { agent, agent_name, persona, tool } = decision;
  const who = whoOf({ agent, agent_name, persona: persona ?? tool ?? "An agent" });
  const run = nowState.value?.working.find(({ id }) => id === decision.run);
  const change = changeOf(decision.args);
  const isDecided = isGone || decision.status !== "open";
  const buttons = run && !isDecided && (
    <>
      {hearerOf(run) && <SayButton onPress={say} />}
      <Button kind="quiet" keyName="X" busyText="Stopping" onPress={() => stopRun(run.id)}>
        Stop
      </Button>
    </>
  );
  return (
    <Row
      mark={isDecided ? "done" : "you"}
      state={isDecided ? "Decided" : "Needs you"}
      who={who}
      from={fromOf(decision)}
      cost={run ? rowMoney(run.cost_usd, run.cost_is_estimate) : ""}
      age={waitOf(now.value - Date.parse(decision.asked_at))}
      isOpen={isOpen}
      isGone={isDecided}
      onToggle={toggle}
      actions={buttons}
      opened={
        <>
          {change && <Diff before={change.before} after={change.after} />}
          <WholeArguments args={decision.args} />
          <Decide decision={decision} isDecided={isDecided} />
          {run && !isDecided && <Talk run={run} isWanted={wantsToSay} hasField={false} />}
          {buttons && <p class="btns acts-open">{buttons}</p>}
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
        {decision.kind === "loop" && <code>{firstLine(tool ?? "")}</code>}
        <code class="wide">{firstLine(decision.path ?? change?.path ?? mainArgument(decision.args))}</code>
        {change && <PlusMinus of={lineDiff(change.before, change.after)} />}
        {decision.kind === "call" && change === null && <span class="cut">{firstLine(decision.why)}</span>}
      </span>
    </Row>
  );
}

function fromOf({ workspace, agent }: Decision): string | undefined {
  if (workspace !== null) return "in a thread";
  return agent === null ? undefined : "long-lived agent";
}

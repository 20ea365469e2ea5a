/**
 * The questions of a run at this moment, with the answer: above everything, wherever one came from. What was decided
 * last stays to be read.
 */
import { Decide } from "../../../parts/requests/decide.tsx";
import { WholeArguments } from "../../../parts/requests/whole-arguments.tsx";
import { Diff } from "../../../parts/content/diff.tsx";
import { type Decision, decisionsOf } from "../../../stores/now/decisions-store.ts";
import { now } from "../../../stores/browser/clock.ts";
import { waitOf } from "../../../words/amounts/durations.ts";
import { firstLine } from "../../../words/names/names.ts";
import { changeOf, mainArgument, questionOf } from "../../../words/runs/questions.ts";
import "./questions.css";

export function Questions({ run }: { run: string }) {
  const all = decisionsOf(run);
  const open = all.filter(({ status }) => status === "open");
  const shown = open.length > 0 ? open : all.slice(-1);
  if (shown.length === 0) return null;
  return (
    <section class="asks" aria-label="Needs you">
      {shown.map((decision) => (
        <Question key={decision.id} decision={decision} />
      ))}
    </section>
  );
}

function Question({ decision }: { decision: Decision }) {
  const { args, path, tool, kind, why, asked_at } = decision;
  const change = changeOf(args);
  const isOpen = decision.status === "open";
  return (
    <div class={isOpen ? "ask" : "ask is-decided"}>
      <p class="say">{questionOf(decision)}</p>
      <p class="small">
        {kind === "loop" && <code>{firstLine(tool ?? "")}</code>}{" "}
        <code>{firstLine(path ?? change?.path ?? mainArgument(args))}</code> <bdi class="ink-2">{firstLine(why)}</bdi>
        {isOpen && <span class="ink-3"> {waitOf(now.value - Date.parse(asked_at))}</span>}
      </p>
      {isOpen && change && <Diff before={change.before} after={change.after} />}
      {isOpen && <WholeArguments args={args} />}
      <Decide decision={decision} />
    </div>
  );
}

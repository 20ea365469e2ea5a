/** A run as a line of the list. */
import { Found } from "../../parts/content/found.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import { spanOf } from "../../words/amounts/durations.ts";
import { rowMoney } from "../../words/amounts/money.ts";
import { firstLine, personName } from "../../words/names/names.ts";
import { failureSentence } from "../../words/runs/reasons.ts";
import { runStates } from "../../words/runs/run-states.ts";
import { clockOf } from "../../words/time/times.ts";
import { askedLine } from "../../words/runs/asked-line.ts";
import "./run-line.css";

type LineProps = { run: RunRow; top: string; words: string; isChosen: boolean; onChoose: () => void };

export function RunLine({ run, top, words, isChosen, onChoose }: LineProps) {
  const { mark, word } = runStates[run.state];
  const at = clockOf(Date.parse(run.requested_at));
  const came = run.state === "failed" ? failureSentence(run) : firstLine(run.last_text ?? "");
  return (
    <li class={isChosen ? "run-line sel" : "run-line"} style={{ top }}>
      <input type="checkbox" checked={isChosen} aria-label={`Compare the run of ${at}`} onChange={onChoose} />
      <Mark kind={mark} label={word} />
      <span class="began">{at}</span>
      <span class="who cut">{personName(run.persona)}</span>
      <a class="asked cut" href={`/runs/${run.id}`} data-row>
        <span class="p1">
          <bdi>
            <Found text={askedLine(run.prompt) || "(no text)"} words={words} />
          </bdi>
        </span>{" "}
        <span class={run.state === "failed" ? "p2 t-failed" : "p2"}>
          <bdi>
            <Found text={came} words={words} />
          </bdi>
        </span>
      </a>
      <span class="num no-narrow cut">{firstLine(run.model ?? "")}</span>
      <span class="num">{tookOf(run)}</span>
      <span class="num c">{rowMoney(run.cost_usd, run.cost_is_estimate)}</span>
    </li>
  );
}

function tookOf({ started_at, ended_at, state }: RunRow): string {
  if (started_at === null) return "";
  const end = ended_at === null ? (state === "running" ? now.value : null) : Date.parse(ended_at);
  return end === null ? "" : spanOf(end - Date.parse(started_at));
}

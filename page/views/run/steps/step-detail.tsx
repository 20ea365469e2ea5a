/** A step in full: its arguments and result, or what was said; the prompt as it was sent, and the raw line, a tab away. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, client } from "../../../api/client.ts";
import { Button } from "../../../parts/buttons/button.tsx";
import { Diff } from "../../../parts/content/diff.tsx";
import { Loading } from "../../../parts/loading/loading.tsx";
import { LongText, Result } from "../../../parts/content/result.tsx";
import { ValueTable } from "../../../parts/content/value-table.tsx";
import { tookOf, waitOf } from "../../../words/amounts/durations.ts";
import { countOf, rowMoney } from "../../../words/amounts/money.ts";
import { firstLine } from "../../../words/names/names.ts";
import { changeOf } from "../../../words/runs/questions.ts";
import { clockWithSeconds } from "../../../words/time/times.ts";
import { asJson } from "../../../words/text/values.ts";
import { visible } from "../../../words/text/visible-text.ts";
import { PromptAsSent } from "./prompt-as-sent.tsx";
import type { RunPage } from "../selection/run-page.ts";
import { wordsOf } from "../selection/step-words.ts";
import type { Step } from "../../../trajectory/step.ts";
import "./step-detail.css";

type Tab = "step" | "prompt" | "raw";

const tabs: readonly [Tab, string][] = [
  ["step", "Step"],
  ["prompt", "Prompt as sent"],
  ["raw", "Raw line"],
];

export function StepDetail({ page }: { page: RunPage }) {
  const tab = useSignal<Tab>("step");
  const step = page.current.value;
  if (step === null) return null;
  const name = nameOf(step);
  return (
    <>
      <div class="dh">
        <h2 class="dh-title">{step.number > 0 ? `Step ${step.number}` : name}</h2>
        {step.kind === "tool" && <code class="cut">{firstLine(name)}</code>}
        {step.kind !== "tool" && step.number > 0 && <span class="cut">{name}</span>}
        {step.state !== "done" && step.kind !== "end" && step.kind !== "wait" && (
          <span class={step.state === "failed" ? "t-failed" : "t-working"}>{stateWords[step.state]}</span>
        )}
        <span class="gap" />
        <div class="seg" role="group" aria-label="What is shown of it">
          {tabs.map(([id, word]) => (
            <button key={id} type="button" aria-pressed={tab.value === id} onClick={() => (tab.value = id)}>
              {word}
            </button>
          ))}
        </div>
      </div>
      {tab.value === "step" && <StepBody step={step} page={page} />}
      {tab.value === "prompt" && <PromptAsSent page={page} />}
      {tab.value === "raw" && <RawLines key={step.line} step={step} page={page} />}
    </>
  );
}

const stateWords = { done: "", failed: "failed", running: "works", lost: "lost" };

function nameOf(step: Step): string {
  if (step.kind === "tool") return step.tool;
  if (step.kind === "end") return step.state === "failed" ? "Failed" : "Finished";
  return wordsOf(step).head || kindWords[step.kind];
}

const kindWords = {
  input: "Said",
  model: "Model",
  tool: "",
  retry: "Tried again",
  wait: "",
  attempt: "",
  note: "Note",
  end: "",
};

function StepBody({ step, page }: { step: Step; page: RunPage }) {
  return (
    <>
      <Facts step={step} start={page.store.steps.from} />
      {step.kind === "model" && <ModelWords step={step} />}
      {step.kind === "tool" && <ToolCall step={step} />}
      {step.kind === "wait" && <Waits step={step} />}
      {(step.kind === "input" || step.kind === "note" || step.kind === "end") && <Said text={step.text} />}
      {step.kind === "input" && <Result value="" parts={step.parts} />}
      {step.kind === "end" && step.trace !== "" && <LongText text={step.trace} label="Trace" />}
    </>
  );
}

function Facts({ step, start }: { step: Step; start: number }) {
  const began = `${clockWithSeconds(step.from)}, after ${tookOf(step.from - start)}`;
  const facts: [string, string][] = [["began", began]];
  if (step.to === null) facts.push(["takes", "it goes on"]);
  else if (step.to - step.from >= 1) facts.push(["took", tookOf(step.to - step.from) + endOf(step)]);
  if (step.kind === "model" && step.usage) {
    const { model, inputTokens, outputTokens, reasoningTokens, costUsd } = step.usage;
    if (model !== null) facts.push(["model", model]);
    const reasoned = reasoningTokens > 0 ? `, ${countOf(reasoningTokens, "token")} of them reasoning` : "";
    facts.push([
      "tokens",
      `${countOf(inputTokens, "token")} read, ${countOf(outputTokens, "token")} written${reasoned}`,
    ]);
    facts.push(["cost", costUsd === null ? "no price known" : rowMoney(costUsd)]);
  }
  if (step.kind === "retry") facts.push(["why", step.reason]);
  return (
    <table class="kv">
      <tbody>
        {facts.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{firstLine(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const endOf = ({ kind, state }: Step) =>
  state === "lost" ? ", then its worker was lost" : kind === "tool" && state === "failed" ? ", and failed" : "";

/** Reasoning is folded: what was said comes first. */
function ModelWords({ step }: { step: Extract<Step, { kind: "model" }> }) {
  const reasoning = step.reasoning.filter((text) => text !== "").join("\n\n");
  return (
    <>
      {step.texts.length > 0 && <Said text={step.texts.join("\n\n")} />}
      {step.searches.length > 0 && (
        <p class="ink-2 said-small">
          Searched the web for: <bdi>{visible(step.searches.join(", "))}</bdi>
        </p>
      )}
      {reasoning !== "" && (
        <details class="reasoning" open={step.texts.length === 0}>
          <summary>Reasoning</summary>
          <Said text={reasoning} isPale />
        </details>
      )}
    </>
  );
}

function ToolCall({ step }: { step: Extract<Step, { kind: "tool" }> }) {
  const change = changeOf(step.args);
  const given = asJson(step.result) || step.output;
  return (
    <>
      {change === null ? <ValueTable value={step.args} /> : <Change change={change} />}
      {step.state !== "running" && given === "" && !step.parts && <p class="ink-3 no-result">Nothing came back.</p>}
      {step.state === "failed" && given !== "" && <p class="t-failed small out-head">It failed with:</p>}
      <Result value={step.result === undefined ? step.output : step.result} parts={step.parts} />
    </>
  );
}

function Change({ change: { path, before, after } }: { change: { path: string; before: string; after: string } }) {
  return (
    <div class="change">
      <p>
        <code>{visible(path)}</code>
      </p>
      <Diff before={before} after={after} />
    </div>
  );
}

/** A question; it is answered above all steps. */
function Waits({ step }: { step: Extract<Step, { kind: "wait" }> }) {
  return (
    <>
      <Said text={step.why} />
      {step.tool !== "" && <p class="mono">{firstLine(step.tool)}</p>}
      <ValueTable value={step.args} />
      {step.to === null && <p class="ink-2 said-small">It waits for your answer.</p>}
      {step.decision !== null && <p class="ink-2 said-small">{firstLine(decidedWords(step))}</p>}
      {step.to !== null && <p class="ink-3 small">The clocks stood still for {waitOf(step.to - step.from)}.</p>}
    </>
  );
}

const decidedWords = ({ decision, by }: { decision: string | null; by: string }) =>
  `${decision === "deny" ? "Denied" : decision === "allow" ? "Allowed" : "Decided"}${by === "" ? "" : ` by ${by}`}.`;

/** The text of somebody, as it was written. */
function Said({ text, isPale = false }: { text: string; isPale?: boolean }) {
  return (
    <p class={isPale ? "said ink-2" : "said"} dir="auto">
      {visible(text)}
    </p>
  );
}

/** The lines of the run's file that the step was made of, byte for byte. */
function RawLines({ step, page }: { step: Step; page: RunPage }) {
  const lines = useSignal<readonly string[] | null>(null);
  const problem = useSignal<unknown>(null);
  const { id } = page.store;
  useEffect(() => {
    const read = (line: number) =>
      answered(client.GET("/api/v1/runs/{id}/raw", { params: { path: { id }, query: { line } } })).then(
        ({ text }) => text,
      );
    Promise.all(step.lines.map(read)).then(
      (texts) => (lines.value = texts),
      (error: unknown) => (problem.value = error),
    );
  }, [id]);
  if (lines.value === null) return <Loading isThere={false} error={problem.value} />;
  const all = lines.value.map((line) => line.trimEnd()).join("\n");
  return (
    <>
      <p class="btns">
        <Button kind="quiet" onPress={() => navigator.clipboard.writeText(all)}>
          Copy
        </Button>
        <span class="ink-3">
          {step.lines.length === 1 ? `Line ${step.lines[0]}` : `Lines ${step.lines.join(", ")}`} of its file
        </span>
      </p>
      <LongText text={all} label="Raw lines" />
    </>
  );
}

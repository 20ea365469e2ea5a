/** The head of a run's page: what was asked, how it stands, and what can be done with it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, client } from "../../../api/client.ts";
import { Button } from "../../../parts/buttons/button.tsx";
import { Icon } from "../../../parts/buttons/icon.tsx";
import { Mark } from "../../../parts/badges/mark.tsx";
import { now } from "../../../stores/browser/clock.ts";
import { companionOf, readCompanions } from "../../../stores/agents/companions-store.ts";
import type { Run } from "../../../stores/runs/run-store.ts";
import { runAgain, stopRun } from "../../../stores/runs/run-actions.ts";
import { chatAddress } from "../../../words/navigation/addresses.ts";
import { spanOf } from "../../../words/amounts/durations.ts";
import { countOf, rowMoney } from "../../../words/amounts/money.ts";
import { firstLine, personName, shortId } from "../../../words/names/names.ts";
import { requestCommand } from "../../../words/runs/request-command.ts";
import { isAlive, runStates } from "../../../words/runs/run-states.ts";
import { whenOf } from "../../../words/time/times.ts";
import { AgainWith } from "./again-with.tsx";
import { goToRun } from "../selection/go-to-run.ts";
import { askedLine } from "../../../words/runs/asked-line.ts";
import "./run-head.css";

type HeadProps = { run: Run; onSay: () => void };

export function RunHead({ run, onSay }: HeadProps) {
  const isOther = useSignal(false);
  const companion = companionOf(run.agent);
  useEffect(() => {
    if (run.agent !== null) void readCompanions();
  }, [run.agent]);
  const { mark, word } = runStates[run.state];
  const began = Date.parse(run.started_at ?? run.requested_at);
  const end = run.ended_at === null ? now.value : Date.parse(run.ended_at);
  const alive = isAlive(run.state);
  const tokens = run.input_tokens + run.output_tokens;
  return (
    <header class="rhead">
      <div class="l">
        <p class="crumb">
          <a class="plain" href="/runs">
            Runs
          </a>{" "}
          <span class="ink-3">/</span> <span class="mono">{shortId(run.id)}</span>
        </p>
        <h1 class="title" dir="auto">
          {askedLine(run.prompt) || "(no text)"}
        </h1>
        <p class="meta">
          <Mark kind={mark} />
          <b class={stateClasses[mark]}>{word}</b>
          <bdi>{firstLine(run.agent_name ?? "") || personName(run.persona)}</bdi>
          {run.schedule !== null && <span>by its schedule</span>}
          <span>{whenOf(Date.parse(run.requested_at), now.value)}</span>
          {run.state !== "queued" && <span>{spanOf(end - began)}</span>}
          <span>{rowMoney(run.cost_usd, run.cost_is_estimate) || "no price known"}</span>
          <span class="no-phone">{countOf(tokens, "token")}</span>
          {run.model !== null && <span class="no-phone">{firstLine(run.model)}</span>}
          {run.attempt > 1 && <span class="no-phone">attempt {run.attempt}</span>}
          {run.saved_as !== null && <bdi class="mono no-phone">{firstLine(run.saved_as)}</bdi>}
        </p>
      </div>
      <div class="r btns">
        {companion && (
          <a class="btn" href={chatAddress(companion.agent_id)}>
            To its conversation
          </a>
        )}
        {alive && run.state !== "queued" && run.agent === null && (
          <Button keyName="S" onPress={onSay}>
            Say <kbd aria-hidden="true">S</kbd>
          </Button>
        )}
        {alive && (
          <Button keyName="X" busyText="Stopping" onPress={() => stopRun(run.id)}>
            Stop <kbd aria-hidden="true">X</kbd>
          </Button>
        )}
        {!alive && (
          <Button keyName="C" onPress={onSay}>
            Continue <kbd aria-hidden="true">C</kbd>
          </Button>
        )}
        {!alive && run.state !== "failed" && run.state !== "orphaned" && run.agent === null && (
          <Button keyName="R" busyText="Starting" onPress={() => runAgain(run.id).then(goToRun)}>
            Run again <kbd aria-hidden="true">R</kbd>
          </Button>
        )}
        <More run={run} onOther={() => (isOther.value = true)} />
      </div>
      {isOther.value && <AgainWith run={run} onClose={() => (isOther.value = false)} />}
    </header>
  );
}

const stateClasses = {
  you: "t-you",
  working: "t-working",
  waits: "",
  failed: "t-failed",
  stopped: "",
  missed: "",
  done: "t-done",
} as const;

/** Characters of a command that are shown before it is copied. */
const shownOfCommand = 120;

/** The actions that one needs seldom. */
function More({ run, onOther }: { run: Run; onOther: () => void }) {
  const close = () => document.getElementById("run-more")?.hidePopover();
  const shows = `cortex runs show ${run.id}`;
  const asks = requestCommand(run);
  return (
    <>
      <button
        type="button"
        class="btn icon more-button"
        popovertarget="run-more"
        aria-label="More: another model or persona, share, copy as command"
      >
        <Icon name="more" />
      </button>
      <div id="run-more" popover="auto" class="pop more-menu">
        {run.agent === null && !isAlive(run.state) && (
          <button
            type="button"
            class="btn quiet"
            onClick={() => {
              close();
              onOther();
            }}
          >
            Run again with another model or persona
          </button>
        )}
        <Button kind="quiet" busyText="Making the file" onPress={() => share(run.id).then(close)}>
          Share as one file, without secrets
        </Button>
        {asks !== null && (
          <Button kind="quiet" label="Copy as command" onPress={() => navigator.clipboard.writeText(asks).then(close)}>
            <span>
              Copy as command: <code class="more-command">{firstLine(asks).slice(0, shownOfCommand)}</code>
            </span>
          </Button>
        )}
        <Button
          kind="quiet"
          label="Copy the command that shows it"
          onPress={() => navigator.clipboard.writeText(shows).then(close)}
        >
          <span>
            Copy the command that shows it: <code>{shows}</code>
          </span>
        </Button>
      </div>
    </>
  );
}

/** Saves the run as a page of its own. */
async function share(id: string): Promise<void> {
  const { name, html } = await answered(client.GET("/api/v1/runs/{id}/share", { params: { path: { id } } }));
  const address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** A try: the persona is asked something, with what isn't saved yet, and the run is followed to its end. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { onMachineEvent } from "../../live/machine-events.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";
import { Markdown } from "../../parts/content/markdown.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { now } from "../../stores/browser/clock.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import type { PersonaEdit } from "../../stores/editing/persona-edit.ts";
import { spanOf } from "../../words/amounts/durations.ts";
import { rowMoney } from "../../words/amounts/money.ts";
import { failureSentence } from "../../words/runs/reasons.ts";
import { isAlive, runStates } from "../../words/runs/run-states.ts";
import { clockOf } from "../../words/time/times.ts";

type Run = ApiRecord<"Run">;

type TryProps = { edit: PersonaEdit; isOpen: boolean; onClose: () => void };

export function TryOut({ edit, isOpen, onClose }: TryProps) {
  const last = draftOf(`tried ${edit.name}`);
  return (
    <>
      {last.value !== "" && <LastTry key={last.value} id={last.value} />}
      {isOpen && (
        <AskDialog
          edit={edit}
          onClose={onClose}
          onStarted={(id) => {
            last.value = id;
            onClose();
          }}
        />
      )}
    </>
  );
}

function AskDialog({ edit, onClose, onStarted }: Omit<TryProps, "isOpen"> & { onStarted: (id: string) => void }) {
  const prompt = draftOf(`try ${edit.name}`);
  const ask = async () => {
    const { instruction, settings } = edit.mine.value;
    const isChanged = edit.changes.value > 0;
    const body = { prompt: prompt.value.trim(), ...(isChanged && { instruction, settings }) };
    const asked = client.POST("/api/v1/personas/{id}/try", { params: { path: { id: edit.name } }, body });
    onStarted((await answered(asked)).run);
  };
  return (
    <Dialog
      title="Try it"
      onClose={onClose}
      actions={
        <Button kind="primary" busyText="Asking" onPress={ask} isOff={prompt.value.trim() === ""}>
          Ask it
        </Button>
      }
    >
      <textarea
        class="field"
        rows={4}
        aria-label="What do you ask it?"
        placeholder="What do you ask it?"
        value={prompt}
        onInput={(event) => (prompt.value = event.currentTarget.value)}
      />
      <p class="ink-3 small">
        {edit.changes.value > 0 ? "It is tried with what isn’t saved yet." : "It is tried as it is saved."} It is a run
        like any other: it costs what it costs, and may use its tools.
      </p>
    </Dialog>
  );
}

/** Milliseconds after which a run that works is looked at again, should its events not come. */
const lookMs = 2000;

function LastTry({ id }: { id: string }) {
  const run = useSignal<Run | null>(null);
  const problem = useSignal<unknown>(null);
  const read = async () => {
    try {
      run.value = await answered(client.GET("/api/v1/runs/{id}", { params: { path: { id } } }));
      problem.value = null;
    } catch (error) {
      problem.value = error;
    }
  };
  const isOver = run.value !== null && !isAlive(run.value.state);
  useEffect(() => {
    if (isOver) return;
    void read();
    const end = onMachineEvent("run.changed", (row) => row.id === id && void read());
    const timer = setInterval(() => void read(), lookMs);
    return () => {
      end();
      clearInterval(timer);
    };
  }, [id, isOver]);
  return (
    <section aria-label="Last try" class="last-try">
      <div class="sec">
        <h2>Last try</h2>
        <span class="to">{clockOf(Number(id))}</span>
      </div>
      {run.value === null && problem.value !== null && <Problem error={problem.value} onRetry={read} />}
      {run.value !== null && <Told run={run.value} />}
    </section>
  );
}

function Told({ run }: { run: Run }) {
  const { mark, word } = runStates[run.state];
  const text = run.state === "failed" ? failureSentence(run) : (run.last_text ?? "");
  const from = run.started_at === null ? null : Date.parse(run.started_at);
  const to = run.ended_at === null ? now.value : Date.parse(run.ended_at);
  return (
    <>
      <div class="try">
        <Mark kind={mark} label={word} />
        {text === "" ? <span class="ink-2">{word}</span> : <Markdown text={text} />}
      </div>
      <p class="did">
        <a href={`/runs/${run.id}`}>
          {[from === null ? word : spanOf(to - from), rowMoney(run.cost_usd, run.cost_is_estimate)]
            .filter(Boolean)
            .join(", ")}
        </a>
      </p>
    </>
  );
}

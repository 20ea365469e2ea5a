/** A run: what happened when, in lanes on one axis, and each step in full beside the list of them. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Empty } from "../../parts/loading/empty.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { SayField } from "../../parts/requests/say-field.tsx";
import { View } from "../../parts/layout/view.tsx";
import { continueRun, sayToRun } from "../../stores/runs/run-actions.ts";
import { draftOf } from "../../stores/browser/drafts.ts";
import { isPhone } from "../../stores/browser/screen.ts";
import { RunStore } from "../../stores/runs/run-store.ts";
import { personName, shortId } from "../../words/names/names.ts";
import { isAlive } from "../../words/runs/run-states.ts";
import { visible } from "../../words/text/visible-text.ts";
import { EventList } from "./steps/event-list.tsx";
import { Failure } from "./head/failure.tsx";
import { Family } from "./head/family.tsx";
import { goToRun } from "./selection/go-to-run.ts";
import { Questions } from "./head/questions.tsx";
import { RunHead } from "./head/run-head.tsx";
import { RunPage } from "./selection/run-page.ts";
import { StepDetail } from "./steps/step-detail.tsx";
import { Trajectory } from "./figure/trajectory-figure.tsx";
import { useRunKeys } from "./selection/run-keys.ts";
import { askedLine } from "../../words/runs/asked-line.ts";
import "./run.css";

export default function RunView({ id }: { id: string }) {
  const page = useMemo(() => new RunPage(new RunStore(id)), [id]);
  const isSaying = useSignal(false);
  const { run, problem } = page.store;
  useEffect(() => {
    page.store.open();
    return () => page.store.close();
  }, [page]);
  const say = () => {
    isSaying.value = true;
  };
  useRunKeys(page);
  useEffect(() => {
    document.title = `${run.value === null ? `Run ${shortId(id)}` : askedLine(run.value.prompt).slice(0, 60) || shortId(id)} · Cortex`;
  }, [run.value]);

  if (run.value === null)
    return (
      <View title={`Run ${shortId(id)}`}>
        <Loading isThere={false} error={problem.value} onRetry={() => page.store.read()} rows={10} />
      </View>
    );
  const alive = isAlive(run.value.state);
  // One draft, whether it is at work or not: what is typed when it ends stays.
  const draftPlace = `run ${id}`;
  return (
    <div class="run-view">
      <RunHead run={run.value} onSay={say} />
      {page.store.isCutOff.value && (
        <p class="cut-off" role="status">
          Not connected. What you see is from before; it goes on by itself.
        </p>
      )}
      {run.value.damaged !== null && (
        <Empty title="This run's file is damaged." command={`cortex audit verify ${id}`}>
          {visible(run.value.damaged)}
        </Empty>
      )}
      <Questions run={id} />
      <Failure run={run.value} page={page} />
      {isSaying.value && (
        <div class="saying">
          <SayField
            of={draftPlace}
            label={alive ? `Say something to ${personName(run.value.persona)}` : "Ask on, from here"}
            send={alive ? "Send" : "Continue"}
            hasFocus
            onSend={async (text) => {
              if (alive) await sayToRun(id, text);
              else goToRun(await continueRun(id, text));
              // The field stays for what was typed since.
              isSaying.value = alive && draftOf(draftPlace).value.trim() !== text;
            }}
          />
        </div>
      )}
      <Trajectory page={page} />
      <div class="split">
        <EventList page={page} />
        {isPhone.value ? (
          <div class="detail">
            <Family run={run.value} />
          </div>
        ) : (
          <aside class="detail" aria-label="Step">
            <StepDetail page={page} />
            <Family run={run.value} />
          </aside>
        )}
      </div>
    </div>
  );
}

/** A run's last words, and a field for an answer to them: to the run at work, to the agent whose turn it is, or on from where a run has ended. */
import { SayField } from "../../parts/requests/say-field.tsx";
import { companionOf, sayToCompanion } from "../../stores/agents/companions-store.ts";
import type { RunRow } from "../../stores/now/now-store.ts";
import { continueRun, sayToRun } from "../../stores/runs/run-actions.ts";
import { isAlive } from "../../words/runs/run-states.ts";
import { visible } from "../../words/text/visible-text.ts";
import { whoOf } from "./who.tsx";

type TalkProps = {
  run: RunRow;
  isGone?: boolean | undefined;
  /** Whether the field was asked for: it has the focus then. */
  isWanted: boolean;
  /** Where something else is to be answered first, there is no field before it is wanted. */
  hasField?: boolean;
};

export function Talk({ run, isGone, isWanted, hasField = true }: TalkProps) {
  const hearer = isWanted || hasField ? hearerOf(run, isGone) : null;
  return (
    <>
      {run.last_text !== null && <p class="last-words">{visible(run.last_text)}</p>}
      {hearer && <SayField {...hearer} hasFocus={isWanted} />}
    </>
  );
}

/** The hearer of what is said to a run: null for nobody. */
export function hearerOf(run: RunRow, isGone = false) {
  const companion = companionOf(run.agent);
  const label = `Say something to ${whoOf(run)}`;
  if (companion) {
    const { agent_id: id } = companion;
    return { of: `chat ${id}`, label, onSend: (text: string) => sayToCompanion(id, text) };
  }
  // A task's turn hears its agent alone; one that waits for a place hears nobody yet.
  if (run.agent !== null || run.state === "queued" || isGone) return null;
  // One draft, whether it is at work or not: what is typed when it ends stays.
  const of = `run ${run.id}`;
  if (isAlive(run.state)) return { of, label, onSend: (text: string) => sayToRun(run.id, text) };
  return {
    of,
    label: "Ask on, from here",
    send: "Continue",
    onSend: (text: string) => continueRun(run.id, text),
  };
}

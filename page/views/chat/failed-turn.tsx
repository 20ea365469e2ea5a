/** A turn that failed, where it ended: why, a way to its run, and its input sent once more. */
import { Button } from "../../parts/buttons/button.tsx";
import { Mark } from "../../parts/badges/mark.tsx";
import type { ConversationStore } from "../../stores/agents/conversation-store.ts";
import type { TalkEntry } from "../../talk/talk-entry.ts";
import { runAddress } from "../../words/navigation/addresses.ts";
import { failureDetail, failureSentence } from "../../words/runs/reasons.ts";
import { visible } from "../../words/text/visible-text.ts";
import { clockOf } from "../../words/time/times.ts";
import "./message.css";
import "./failed-turn.css";

type FailedTurnProps = {
  entry: Extract<TalkEntry, { kind: "failed" }>;
  name: string;
  /** Nothing waits, and no turn is at work: what is sent now begins one. */
  isFree: boolean;
  store: ConversationStore;
};

/** In characters: a message of an error may be a page. */
const longestDetail = 500;

export function FailedTurn({ entry: { key, ts, failure, input, again }, name, isFree, store }: FailedTurnProps) {
  const detail = failureDetail(failure).slice(0, longestDetail);
  const ask = async () => {
    const files = input?.files.map(({ id }) => ({ id })) ?? [];
    await store.send(input?.text ?? "", files, false);
  };
  return (
    <div
      class="msg failed-turn"
      data-key={key}
      data-row
      tabIndex={-1}
      role="group"
      aria-label={`${name} didn’t answer`}
    >
      <p class="by">
        {name} <time dateTime={new Date(ts).toISOString()}>{clockOf(ts)}</time>
      </p>
      <div class="tx">
        <p class="why">
          <Mark kind="failed" label="Failed" />
          <span>{visible(failureSentence(failure))}</span>
        </p>
        {detail !== "" && <p class="small ink-3 detail">{visible(detail)}</p>}
        <p class="did">
          {again === "offered" && isFree && (
            <Button kind="outline" keyName="R" busyText="Asking" onPress={ask}>
              Ask again
            </Button>
          )}
          {again === "asked" && <span>asked again since</span>}
          <a href={runAddress(failure.run)}>its run</a>
        </p>
      </div>
    </div>
  );
}

/** The work of an agent at this moment: what it writes as it comes, and the tool that it waits for. */
import { WithCaret } from "../../parts/content/with-caret.tsx";
import { Markdown } from "../../parts/content/markdown.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { TurnStream } from "../../stores/agents/turn-stream.ts";
import { spanOf } from "../../words/amounts/durations.ts";
import { mainArgument } from "../../words/runs/questions.ts";
import { clockOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import "./message.css";
import "./live-turn.css";

export function LiveTurn({ turn, name, isTextReply }: { turn: TurnStream; name: string; isTextReply: boolean }) {
  // Read: it is shown anew with each change.
  void turn.version.value;
  const { steps } = turn;
  const text = steps.said;
  const call = steps.steps.findLast((step) => step.kind === "tool" && step.to === null);
  const since = call?.from ?? steps.asking?.since ?? Number(turn.run);
  const seconds = spanOf(Math.max(0, now.value - since));
  return (
    <div class={isTextReply ? "msg live" : "msg live is-thought"} aria-busy="true" data-key="live">
      <p class="by">
        <bdi>{name}</bdi> <time>{clockOf(Number(turn.run))}</time>
      </p>
      <div class="tx">
        {text !== "" && (
          <WithCaret>
            <Markdown text={text} />
          </WithCaret>
        )}
        <p class="doing">
          <span class="t-working">{seconds}</span>{" "}
          {call?.kind === "tool" ? (
            <>
              <code>{visible(call.tool)}</code> <bdi class="cut">{visible(mainArgument(call.args).slice(0, 300))}</bdi>
            </>
          ) : (
            <span>
              {text === ""
                ? steps.asking === null
                  ? "starting"
                  : "asked the model"
                : isTextReply
                  ? "writing"
                  : "thinking"}
            </span>
          )}
        </p>
      </div>
    </div>
  );
}

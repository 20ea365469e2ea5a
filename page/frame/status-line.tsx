/** The line at the foot: whether what one sees is of now, the programs, the places for runs. */
import { useEffect } from "preact/hooks";
import { type LiveState, liveState, tryNow } from "../live/machine-events.ts";
import { followHealth, health } from "../stores/now/health-store.ts";
import { sumMoney } from "../words/amounts/money.ts";
import { backWords, cutOffWords } from "../words/notices/live.ts";

export function StatusLine() {
  useEffect(followHealth, []);
  return (
    <footer class="status" aria-label="State of the system">
      <Live state={liveState.value} />
      <Machine />
      <span class="gap" />
      <span class="keys-hint">
        <kbd>Ctrl K</kbd> find
      </span>
      <span class="keys-hint">
        <kbd>?</kbd> keys
      </span>
    </footer>
  );
}

/** Told to screen readers only when it changes for the worse or back. */
function Live({ state }: { state: LiveState }) {
  return (
    <span class={`live is-${state.kind.replace(" ", "-")}`}>
      <span role="status">{wordsOf(state)}</span>
      {state.kind === "cut off" && <span class="no-phone">What you see is from then.</span>}
      {state.kind === "cut off" && (
        <button type="button" class="btn quiet" onClick={tryNow}>
          Try now
        </button>
      )}
    </span>
  );
}

function wordsOf(state: LiveState): string {
  switch (state.kind) {
    case "connecting":
      return "Connecting";
    case "live":
      return "Live";
    case "cut off":
      return cutOffWords(state.since);
    case "back":
      return backWords(state.afterMs, state.missed, state.isAll);
    case "refused":
      return "Not live: this session may not listen";
  }
}

/** Amber from 80 % of the day's limit on: it is the owner's to raise. */
const nearShare = 0.8;

function Money({ cost_usd, is_estimate, limit_usd }: NonNullable<typeof health.value>["today"]) {
  const isNear = limit_usd !== null && cost_usd >= limit_usd * nearShare;
  return (
    <a class={isNear ? "money is-near" : "money"} href="/cost">
      {is_estimate && cost_usd > 0 && "about "}
      <b>{sumMoney(cost_usd)}</b>
      {limit_usd !== null && ` of ${sumMoney(limit_usd)}`} today
    </a>
  );
}

function Machine() {
  const { value } = health;
  if (value === null) return null;
  const { programs, running, queued, capacity, today } = value;
  const ready = programs.filter(({ state }) => state === "ready" || state === "unsupervised").length;
  return (
    <>
      <span>
        <b>{ready === programs.length ? ready : `${ready} of ${programs.length}`}</b> programs up
      </span>
      <span class="no-phone">
        <b>{running}</b> of {capacity} places taken{queued > 0 && `, ${queued} ${queued === 1 ? "waits" : "wait"}`}
      </span>
      <Money {...today} />
    </>
  );
}

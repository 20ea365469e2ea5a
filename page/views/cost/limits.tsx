/** The limits of the day, the nearest first: what is spent of each. */
import { countOf, digits, sumMoney } from "../../words/amounts/money.ts";
import { personName } from "../../words/names/names.ts";
import { visible } from "../../words/text/visible-text.ts";
import type { Cost } from "./cost-address.ts";
import "./limit-bar.css";
import "./limits.css";

type Limit = Cost["limits"][number];

export function Limits({ cost }: { cost: Cost }) {
  const limits = cost.limits.toSorted((one, other) => other.share - one.share);
  return (
    <section aria-labelledby="limits">
      <div class="cost-sec">
        <h2 id="limits">Limits of a day</h2>
        <a class="to" href="/settings?open=budgets">
          Change
        </a>
      </div>
      {limits.length === 0 ? (
        <p class="foot-note">
          None is set. With <code>{'"budgets": {"daily": {"max_cost_usd": 5}}'}</code> in the settings runs are stopped
          at $5.00.
        </p>
      ) : (
        <ul class="lims">
          {limits.map((limit) => (
            <li key={`${limit.scope} ${limit.name}`} class={limit.state}>
              <p>
                <b class="strong">{nameOf(limit)}</b>
                <span>{spentOf(limit)}</span>
              </p>
              <span class={`bar ${limit.state}`} aria-hidden="true">
                <i style={{ width: `${Math.min(100, limit.share * 100)}%` }} />
              </span>
              {limit.state !== "far" && <p class="small">{nearWords(limit)}</p>}
            </li>
          ))}
        </ul>
      )}
      <Unknown cost={cost} />
    </section>
  );
}

function nameOf({ scope, name }: Limit): string {
  if (scope === "all") return "All runs";
  if (scope === "persona") return personName(visible(name ?? ""));
  if (scope === "workspace") return `Workspace ${visible(name ?? "")}`;
  return name === "heartbeat" ? "The agent’s own clock" : `Clock ${visible(name ?? "").replace(/^cron /, "")}`;
}

/** By the amount that is nearest to its limit. */
function spentOf({ limit_usd, limit_tokens, spent_usd, spent_tokens, share }: Limit): string {
  const isMoney = limit_usd !== null && (limit_tokens === null || spent_usd >= share * limit_usd * 0.999);
  if (isMoney) return `${sumMoney(spent_usd)} of ${sumMoney(limit_usd)}`;
  return `${digits(spent_tokens)} of ${countOf(limit_tokens ?? 0, "token")}`;
}

function nearWords({ share, state }: Limit): string {
  if (state === "reached") return "Spent. No more runs of it today.";
  return `${Math.round(share * 100)} %. At all of it, runs are stopped until midnight.`;
}

/** The usage that the sums don't hold. */
function Unknown({ cost: { total } }: { cost: Cost }) {
  const { unpriced_tokens, unknown_runs } = total;
  return (
    <>
      {unpriced_tokens > 0 && (
        <p class="foot-note">{countOf(unpriced_tokens, "token")} have no known price and count as nothing here.</p>
      )}
      {unknown_runs > 0 && (
        <p class="foot-note">
          {countOf(unknown_runs, "run")} told nothing of what {unknown_runs === 1 ? "it" : "they"} used.
        </p>
      )}
    </>
  );
}

/** The cost of today, against its limit, and what is usual. */
import { clockOf } from "../../words/time/times.ts";
import { now } from "../../stores/browser/clock.ts";
import { countOf, sumMoney } from "../../words/amounts/money.ts";
import { type Cost, runsOf } from "./cost-address.ts";
import { addDays, monthName } from "./cost-days.ts";
import "./limit-bar.css";
import "./today-figures.css";

export function TodayFigures({ cost }: { cost: Cost }) {
  const today = cost.to;
  const of = (day: string) => cost.rows.find(({ name }) => name === day);
  const limit = cost.limits.find(({ scope }) => scope === "all");
  const begun = cost.rows[0]?.name ?? today;
  const span = Math.max(1, daysBetween(begun, today) + 1);
  const month = cost.rows.filter(({ name }) => name.slice(0, 6) === today.slice(0, 6));
  const row = of(today);
  return (
    <section class="bigs" aria-label="Today">
      <p class="ink-3">Today, until {clockOf(now.value, cost.time_zone)}</p>
      <p class="figure">
        <a href={runsOf("day", null, today, today) ?? undefined}>
          {row !== undefined && row.cost_usd === null && <span class="about">about </span>}
          {sumMoney(row?.known_cost_usd ?? 0)}
        </a>
      </p>
      {limit && (
        <>
          <span class={`bar ${limit.state}`} role="img" aria-label={`${percent(limit.share)} of today’s limit`}>
            <i style={{ width: `${Math.min(100, limit.share * 100)}%` }} />
          </span>
          <p class={limit.state === "far" ? "ink-2" : "t-you"}>{limitWords(limit)}</p>
        </>
      )}
      <dl>
        <Figure name="Yesterday" usd={of(addDays(today, -1))?.known_cost_usd ?? 0} day={addDays(today, -1)} />
        <Figure name="A day, on average" usd={cost.total.known_cost_usd / span} day={begun} until={today} />
        <Figure
          name={`${monthName(today)} so far`}
          usd={month.reduce((sum, { known_cost_usd }) => sum + known_cost_usd, 0)}
          day={`${today.slice(0, 6)}01`}
          until={today}
        />
      </dl>
    </section>
  );
}

function Figure({ name, usd, day, until = day }: { name: string; usd: number; day: string; until?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <a class="plain" href={runsOf("day", null, day, until) ?? undefined}>
          {sumMoney(usd)}
        </a>
      </dd>
    </div>
  );
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function limitWords({ share, limit_usd, limit_tokens }: Cost["limits"][number]): string {
  const most = limit_usd === null ? countOf(limit_tokens ?? 0, "token") : sumMoney(limit_usd);
  if (share >= 1) return `All of ${most} is spent: runs are stopped until midnight.`;
  return `${percent(share)} of ${most}. At ${most} runs are stopped until midnight.`;
}

function daysBetween(from: string, to: string): number {
  let count = 0;
  for (let day = from; day < to && count < 400; day = addDays(day, 1)) count++;
  return count;
}

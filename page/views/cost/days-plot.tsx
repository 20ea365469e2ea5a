/**
 * The cost of each day, with the part of the chosen row; where nothing has a price, how many ran. A day leads to its
 * runs.
 */
import { countOf, sumMoney } from "../../words/amounts/money.ts";
import { visible } from "../../words/text/visible-text.ts";
import { type Cost, nameOf, runsOf } from "./cost-address.ts";
import { longDay, scaleOf, tickOf } from "./cost-days.ts";
import "./days-plot.css";

type PlotProps = { cost: Cost; days: readonly string[]; today: string; of: string };

type Day = { day: string; all: number; part: number; words: string };

export function DaysPlot({ cost, days, today, of }: PlotProps) {
  const isMoney = cost.total.known_cost_usd > 0;
  const chosen = cost.by === "day" ? undefined : cost.rows.find(({ name }) => name === of);
  const name = chosen ? visible(nameOf(cost.by, chosen)) : null;
  const shown = days.map((day) => dayOf(cost, day, { of: chosen?.name ?? null, isMoney, name }));
  const most = Math.max(0, ...shown.map(({ all }) => all));
  const limit = isMoney ? (cost.limits.find(({ scope }) => scope === "all")?.limit_usd ?? null) : null;
  // A limit far above all days would press them to the ground.
  const isLimitShown = limit !== null && limit > 0 && limit <= most * 3;
  const { top, steps } = scaleOf(Math.max(most, isLimitShown ? limit : 0));
  const wordsOf = (value: number) => (isMoney ? sumMoney(value) : String(value));
  const highest = shown.findIndex(({ all }) => all === most);
  return (
    <section class="plotbox" aria-label={isMoney ? "Cost of each day" : "Runs of each day"}>
      <h2>
        {isMoney ? "Each day" : "Runs each day"}
        {name !== null && (
          <>
            <span class="key">
              <i />
              {name}
            </span>
            <span class="key">
              <i class="o" />
              all others
            </span>
          </>
        )}
      </h2>
      <div class="area">
        {steps
          .filter((step) => isMoney || Number.isInteger(step))
          .filter((step) => !isLimitShown || Math.abs(step - limit) > top / 12)
          .map((step) => (
            <div key={step} class="yl" style={{ bottom: `${(step / top) * 100}%` }}>
              <span>{isMoney && Number.isInteger(step) ? `$${step}` : wordsOf(step)}</span>
            </div>
          ))}
        {isLimitShown && (
          <div class="yl lim" style={{ bottom: `${(limit / top) * 100}%` }}>
            <span>{sumMoney(limit)} limit</span>
          </div>
        )}
        <ol class="colz">
          {shown.map(({ day, all, part, words }, index) => (
            <li key={day}>
              <a
                href={runsOf(cost.by, chosen?.name ?? null, day, day) ?? runsOf("day", null, day, day) ?? undefined}
                aria-label={words}
                title={words}
              >
                <span class={day === today ? "so" : ""} style={{ height: `${(all / top) * 100}%` }}>
                  {part > 0 && <i style={{ height: `${(part / all) * 100}%` }} />}
                  {all > 0 && (index === highest || day === today) && <em>{wordsOf(all)}</em>}
                </span>
              </a>
            </li>
          ))}
        </ol>
      </div>
      <div class="xl" aria-hidden="true">
        {days.map((day, index) =>
          day === today ? <b key={day}>today</b> : <span key={day}>{tickOf(day, index === 0)}</span>,
        )}
      </div>
    </section>
  );
}

type Look = { of: string | null; isMoney: boolean; name: string | null };

function dayOf(cost: Cost, day: string, { of, isMoney, name }: Look): Day {
  const rows = cost.days.filter((one) => one.day === day);
  const valueOf = (some: typeof rows) =>
    some.reduce((sum, { runs, known_cost_usd }) => sum + (isMoney ? known_cost_usd : runs), 0);
  const all = valueOf(rows);
  const part = of === null ? 0 : valueOf(rows.filter((row) => row.name === of));
  const words = (value: number) => (isMoney ? sumMoney(value) : countOf(value, "run"));
  const ofPart = name === null ? "" : `, of it ${name} ${words(part)}`;
  return { day, all, part, words: `${longDay(day)}: ${words(all)}${ofPart}` };
}

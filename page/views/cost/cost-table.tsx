/** The sums by persona, agent, model or day. A row that is chosen is shown in the plot; its numbers lead to its runs. */
import { Fragment } from "preact";
import { digits, rowMoney, sumMoney } from "../../words/amounts/money.ts";
import { visible } from "../../words/text/visible-text.ts";
import { type Cost, type CostRow, groupings, nameOf, runsOf } from "./cost-address.ts";
import { longDay } from "./cost-days.ts";
import "./cost-table.css";

type TableProps = { cost: Cost; days: readonly string[]; of: string; onChoose: (name: string) => void };

export function CostTable({ cost, days, of, onChoose }: TableProps) {
  const { by, rows, total, from, to } = cost;
  const isByDay = by === "day";
  const title = groupings.find(([one]) => one === by)?.[1] ?? "";
  return (
    <table class="cost-table">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {!isByDay && (
            <th scope="col" class="sp">
              Each day
            </th>
          )}
          <th scope="col" class="num">
            Runs
          </th>
          <th scope="col" class="num each">
            A run
          </th>
          <th scope="col" class="num tokens">
            Tokens
          </th>
          <th scope="col" class="num total">
            Cost
          </th>
          <th scope="col" class="sh">
            Share
          </th>
        </tr>
      </thead>
      <tbody>
        {(isByDay ? rows.toReversed() : rows).map((row) => {
          const isChosen = !isByDay && row.name === of;
          const runs = isByDay ? runsOf(by, null, row.name, row.name) : runsOf(by, row.name, from, to);
          return (
            <tr key={row.name} class={isChosen ? "sel" : undefined} data-row>
              <th scope="row">
                {isByDay ? (
                  <a class="plain" href={runs ?? undefined}>
                    {longDay(row.name)}
                  </a>
                ) : (
                  <button type="button" aria-pressed={isChosen} onClick={() => onChoose(isChosen ? "" : row.name)}>
                    <bdi class="cut">{visible(nameOf(by, row))}</bdi>
                  </button>
                )}
              </th>
              {!isByDay && (
                <td class="sp">
                  <Spark cost={cost} days={days} name={row.name} />
                </td>
              )}
              <td class="num">
                <Linked to={runs}>{digits(row.runs)}</Linked>
              </td>
              <td class="num each">
                {rowMoney(row.runs === 0 ? null : row.known_cost_usd / row.runs, isEstimate(row))}
              </td>
              <td class="num tokens">{digits(row.total_tokens)}</td>
              <td class="num total strong">
                <Linked to={runs}>{costOf(row)}</Linked>
              </td>
              <td class="sh">
                <Share of={row.known_cost_usd} total={total.known_cost_usd} />
              </td>
            </tr>
          );
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">All</th>
          {!isByDay && <td class="sp" />}
          <td class="num">
            <Linked to={runsOf("day", null, from, to)}>{digits(total.runs)}</Linked>
          </td>
          <td class="num each">
            {rowMoney(total.runs === 0 ? null : total.known_cost_usd / total.runs, isEstimate(total))}
          </td>
          <td class="num tokens">{digits(total.total_tokens)}</td>
          <td class="num total">{costOf(total)}</td>
          <td class="sh" />
        </tr>
      </tfoot>
    </table>
  );
}

type Sums = Pick<CostRow, "cost_usd" | "known_cost_usd">;

const isEstimate = ({ cost_usd }: Sums) => cost_usd === null;

/** Writes a cost; where it isn't known in full, the part that is. */
function costOf(row: Sums): string {
  if (row.cost_usd !== null) return sumMoney(row.cost_usd);
  return row.known_cost_usd === 0 ? "not known" : `${sumMoney(row.known_cost_usd)} and more`;
}

function Linked({ to, children }: { to: string | null; children: string }) {
  return to === null ? (
    <Fragment>{children}</Fragment>
  ) : (
    <a class="plain" href={to}>
      {children}
    </a>
  );
}

/** Its days beside each other, each against its own dearest. The numbers are in the plot, when the row is chosen. */
function Spark({ cost, days, name }: { cost: Cost; days: readonly string[]; name: string }) {
  const own = cost.days.filter((one) => one.name === name);
  const isMoney = own.some(({ known_cost_usd }) => known_cost_usd > 0);
  const values = days.map((day) => {
    const found = own.find((one) => one.day === day);
    return found ? (isMoney ? found.known_cost_usd : found.runs) : 0;
  });
  const most = Math.max(...values, Number.MIN_VALUE);
  return (
    <span class="spark" aria-hidden="true">
      {values.map((value, index) => (
        <i key={days[index]} style={{ height: `${(value / most) * 100}%` }} />
      ))}
    </span>
  );
}

/** In px, of all of it. */
const wholeShare = 72;

function Share({ of, total }: { of: number; total: number }) {
  if (total === 0) return null;
  const share = of / total;
  return (
    <span class="share">
      <i style={{ width: `${Math.max(share > 0 ? 1 : 0, Math.round(share * wholeShare))}px` }} />
      {Math.round(share * 100)} %
    </span>
  );
}

/** The turns of an agent that failed, read by pages and heard of. */
import { expect, test } from "vitest";
import { TurnFailures } from "../../../../page/stores/agents/turn-failures.ts";

type Run = Parameters<TurnFailures["take"]>[0];

const begin = 1737366060000;
const run = (number: number, state: Run["state"] = "failed"): Run => ({
  id: String(begin + number),
  state,
  reason: "provider",
  error: `error ${number}`,
  requested_at: new Date(begin + number).toISOString(),
  ended_at: new Date(begin + number + 500).toISOString(),
});

/** Serves failed runs, two a page, as the API does; what was asked for is noted. */
function served(runs: Run[]) {
  const asked: (string | null)[] = [];
  const failures = new TurnFailures("wren", (agent, cursor) => {
    asked.push(cursor);
    expect(agent).toBe("wren");
    const older = runs.filter(({ id }) => cursor === null || id < cursor).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const items = older.slice(0, 2);
    return Promise.resolve({ items, next: older.length > 2 ? (items.at(-1)?.id ?? null) : null });
  });
  return { failures, asked };
}

const numbers = (failures: TurnFailures) => failures.all.map(({ run: id }) => Number(id) - begin);

test("failures are read as far back as the history is, and further with it", async () => {
  const { failures, asked } = served([1, 2, 3, 4, 5, 6, 7].map((number) => run(number)));
  await failures.readNew(begin + 5);
  expect(numbers(failures)).toEqual([4, 5, 6, 7]);
  await failures.readBack(begin + 5);
  expect(asked).toHaveLength(2);
  await failures.readBack(0);
  expect(numbers(failures)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await failures.readBack(0);
  expect(asked).toHaveLength(4);
  expect(failures.all[0]).toEqual({ run: String(begin + 1), ts: begin + 501, reason: "provider", error: "error 1" });
});

test("those that came while nobody listened are read up to what is known", async () => {
  const runs = [run(1), run(2)];
  const { failures, asked } = served(runs);
  await failures.readNew(0);
  runs.push(run(3), run(4), run(5));
  await failures.readNew(0);
  expect(numbers(failures)).toEqual([1, 2, 3, 4, 5]);
  expect(asked).toHaveLength(3);
});

test("an agent without failures is asked for once, and what is heard of is known once", async () => {
  const { failures, asked } = served([]);
  await failures.readNew(0);
  expect([failures.take(run(1)), failures.take(run(1)), failures.take(run(2, "running"))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(numbers(failures)).toEqual([1]);
  await failures.readBack(0);
  expect(asked).toHaveLength(1);
  expect([failures.take(run(1, "running")), numbers(failures)]).toEqual([true, []]);
});

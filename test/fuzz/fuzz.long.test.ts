import { expect, test } from "vitest";
import { entrances } from "./entrances.ts";
import { runFuzz } from "./run-fuzz.ts";

/** The short form; the long one is `npm run fuzz`. */
const seed = 20261126;
const count = 200;

test("hostile things at every entrance of a system end nothing but themselves", async () => {
  const problems: string[] = [];
  const tried = new Set<string>();
  await runFuzz({
    seed,
    numbers: Array(count).keys(),
    lanes: 4,
    casesOfRound: count,
    onDone: ({ number, entrance, problem }) => {
      tried.add(entrance);
      if (problem !== undefined) problems.push(`case ${number} of seed ${seed}, ${entrance}: ${problem}`);
    },
    onRound: (found) => problems.push(...found),
    signal: new AbortController().signal,
  });
  expect(problems).toEqual([]);
  expect([...tried].toSorted()).toEqual([...new Set(entrances.map(({ name }) => name))].toSorted());
});

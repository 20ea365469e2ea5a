/** The table of a copy's states. */
import { describe, expect, test } from "vitest";
import {
  type CopyInput,
  type CopyState,
  following,
  isSafeAfterCrash,
  nextCopyState,
} from "../../../cortex/replication/copy-state.ts";

const waiting: CopyState = { is: "waiting", upTo: 7, since: 100 };
const own: CopyState = { is: "own" };
const passedOver: CopyState = { is: "passedOver", seq: 4 };
const lost: CopyState = { is: "lost" };

const inputs: CopyInput[] = [
  { type: "held" },
  { type: "released" },
  { type: "lost" },
  { type: "leftOut", seq: 5 },
  { type: "lacks", upTo: 9, at: 200 },
  { type: "complete" },
];

const stateAfter = (state: CopyState, input: CopyInput): CopyState | "impossible" => {
  try {
    return nextCopyState(state, input);
  } catch {
    return "impossible";
  }
};

describe("each state of a copy on held, released, lost, leftOut, lacks, complete", () => {
  const left: CopyState = { is: "passedOver", seq: 5 };
  const lacking: CopyState = { is: "waiting", upTo: 9, since: 200 };
  test.each<[CopyState, (CopyState | "impossible")[]]>([
    [following, [own, following, lost, left, lacking, following]],
    [waiting, [own, waiting, lost, left, { is: "waiting", upTo: 9, since: 100 }, following]],
    [own, [own, following, lost, "impossible", "impossible", "impossible"]],
    [passedOver, [own, passedOver, lost, left, lacking, following]],
    [lost, [own, lost, lost, lost, lacking, following]],
  ])("a copy that is %o", (state, expected) => {
    expect(inputs.map((input) => stateAfter(state, input))).toEqual(expected);
  });
});

test("a copy that lacks lines never lacks fewer because of an earlier line", () => {
  expect(nextCopyState(waiting, { type: "lacks", upTo: 3, at: 200 })).toEqual(waiting);
});

test("the position isn't noted while a copy is known in memory alone", () => {
  const isSafe = (state: CopyState, hasFile: boolean) => isSafeAfterCrash(state, () => hasFile);
  expect([following, own, waiting, passedOver, lost].map((state) => isSafe(state, true))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(isSafe(waiting, false)).toBe(false);
});

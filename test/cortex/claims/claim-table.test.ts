import { expect, test } from "vitest";
import type { Claim } from "../../../bus/claims/claims.ts";
import { nextClaim, type OwnerLooks, type ClaimStep } from "../../../cortex/claims/claim-table.ts";

const base = { stream_seq: 7, priority: 50, labels: ["gpu"], attempt: 0, confirmed: 0 };
const queued: Claim = { ...base, state: "queued", epoch: 0 };
const claimed: Claim = { ...base, state: "claimed", worker: "a", epoch: 1 };
const started: Claim = { ...claimed, state: "started", attempt: 1 };
const ended: Claim = { ...started, state: "ended" };
const take = (worker: string, owner: OwnerLooks = "alive"): ClaimStep => ({ type: "take", worker, owner });
const by = (worker: string, epoch = 1) => ({ worker, epoch });

test("a waiting request is anybody's; each taking is a new epoch", () => {
  expect(nextClaim(queued, take("a"))).toEqual(claimed);
  expect(nextClaim({ ...queued, epoch: 4 }, take("b"))).toMatchObject({ state: "claimed", worker: "b", epoch: 5 });
});

test.each<[string, Claim, OwnerLooks, boolean]>([
  ["claimed, its owner alive", claimed, "alive", false],
  ["claimed, its owner gone", claimed, "gone", true],
  ["claimed, its owner lost", claimed, "lost", true],
  ["started, its owner alive", started, "alive", false],
  ["started, its owner gone", started, "gone", false],
  ["started, its owner lost", started, "lost", true],
  ["ended, its owner lost", ended, "lost", false],
])("another may take what is %s: %#", (_, claim, owner, may) => {
  const taken = nextClaim(claim, take("b", owner));
  expect(taken).toEqual(may ? { ...claim, state: "claimed", worker: "b", epoch: 2 } : null);
});

test("its owner takes what it has as it is, whatever others think of it, and says so", () => {
  for (const owner of ["alive", "gone", "lost"] as const)
    for (const claim of [claimed, started])
      expect(nextClaim(claim, take("a", owner))).toEqual({ ...claim, confirmed: 1 });
  expect(nextClaim(ended, take("a"))).toBe(null);
});

const steps: ((held: { worker: string; epoch: number }) => ClaimStep)[] = [
  (held) => ({ type: "begin", ...held, attempt: 1 }),
  (held) => ({ type: "release", ...held }),
  (held) => ({ type: "confirm", ...held }),
  (held) => ({ type: "end", ...held }),
];

test("only the owner, under the present epoch, begins, gives back, confirms or ends", () => {
  for (const claim of [queued, claimed, started, ended])
    for (const step of steps)
      for (const held of [by("b"), by("a", 0), by("a", 2)]) expect(nextClaim(claim, step(held))).toBe(null);
});

test("its owner begins, makes sure, gives back what hasn't begun, and ends", () => {
  const outcome = (claim: Claim) => steps.map((step) => nextClaim(claim, step(by("a"))));
  expect(outcome(claimed)).toEqual([
    started,
    { ...base, state: "queued", epoch: 1 },
    { ...claimed, confirmed: 1 },
    { ...claimed, state: "ended" },
  ]);
  expect(outcome(started)).toEqual([started, null, { ...started, confirmed: 1 }, ended]);
  expect(outcome(ended)).toEqual([null, null, null, null]);
});

test("attempts only go on, never back", () => {
  expect(nextClaim({ ...started, attempt: 3 }, { type: "begin", ...by("a"), attempt: 2 })).toBe(null);
  expect(nextClaim(started, { type: "begin", ...by("a"), attempt: 2 })).toEqual({ ...started, attempt: 2 });
});

import { expect, test } from "vitest";
import type { Claim, ClaimNews } from "../../../bus/claims/claims.ts";
import { Claims, type ClaimsDeps } from "../../../cortex/claims/claims.ts";
import { systemClock } from "../../../cortex/model/clock.ts";

const claim: Claim = {
  state: "queued",
  stream_seq: 1,
  priority: 50,
  labels: [],
  epoch: 0,
  attempt: 0,
  confirmed: 0,
};

type Watch = ClaimsDeps["store"]["watch"];

const unused = () => Promise.reject(new Error("nothing changes a claim here"));

/** Claims that are watched so: each watch follows the one before it at once. */
function watchedBy(...watches: Watch[]): Claims {
  const watch: Watch = (...args) => (watches.shift() ?? expect.fail("it is watched too often"))(...args);
  return new Claims({
    store: { create: unused, get: async () => null, replace: unused, forgetClaim: unused, watch },
    log: { warn: () => {}, error: () => {} },
    clock: { now: systemClock.now, later: (_, what) => systemClock.later(0, what) },
    leases: { isAlive: async () => true, leaseMs: 30_000 },
    worker: "a",
    longestOrphanMs: () => 0,
  });
}

// eslint-disable-next-line require-yield
const failing: Watch = async function* () {
  throw new Error("maximum bytes exceeded");
};

test("claims that can't be followed for a while, as on a full disk, are followed again", async () => {
  const isFull = Promise.withResolvers<void>();
  const claims = watchedBy(
    // eslint-disable-next-line require-yield
    async function* (_, onLoaded) {
      onLoaded();
      await isFull.promise;
      throw new Error("maximum bytes exceeded");
    },
    failing,
    async function* () {
      yield { agentId: "1736380800000", claim, revision: 1, isLast: true } satisfies ClaimNews;
    },
  );
  await claims.follow(new AbortController().signal, () => {});
  isFull.resolve();
  await expect.poll(() => claims.get("1736380800000")).toEqual(claim);
});

test("claims that can't be followed from the begin are an error", async () => {
  const following = watchedBy(failing).follow(new AbortController().signal, () => {});
  await expect(following).rejects.toThrow("maximum bytes exceeded");
});

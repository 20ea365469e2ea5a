import { expect, test } from "vitest";
import { ProviderError } from "../../../backends/provider/provider.ts";
import { backoff, type Retry, withRetries } from "../../../backends/provider/retry.ts";
import { StillClock } from "../../support/backends/agent-run.ts";

const never = new AbortController().signal;

async function tryWith(failures: unknown[], signal = never, waits?: number[]) {
  const clock = new StillClock();
  const retries: Retry[] = [];
  let calls = 0;
  const outcome = await withRetries(
    () => {
      const failure = failures[calls++];
      return failure === undefined ? Promise.resolve("answer") : Promise.reject(failure);
    },
    (retry) => {
      retries.push(retry);
      return Promise.resolve();
    },
    clock,
    signal,
    waits,
  ).catch((error: unknown) => error);
  return { outcome, retries, calls, slept: clock.slept };
}

const status = (code: number) => new ProviderError(`status ${code}`, { status: code });

test.each([429, 500, 502, 503, 504, 529])("status %i is tried again", async (code) => {
  const { outcome, retries } = await tryWith([status(code)]);
  expect(outcome).toBe("answer");
  expect(retries).toEqual([{ attempt: 1, delay_ms: 2000, reason: `status ${code}`, status: code }]);
});

test("a broken connection is tried again", async () => {
  expect((await tryWith([new ProviderError("reset", { isBroken: true })])).outcome).toBe("answer");
});

test.each([400, 401, 403, 404, 408, 413, 422, 501])("status %i fails at once", async (code) => {
  const { outcome, calls } = await tryWith([status(code)]);
  expect(outcome).toMatchObject({ message: `status ${code}` });
  expect(calls).toBe(1);
});

test("a defect isn't tried again", async () => {
  const defect = new TypeError("x");
  expect((await tryWith([defect])).outcome).toBe(defect);
});

test("a call is given up after 8 attempts, and says so", async () => {
  const { outcome, calls, slept, retries } = await tryWith(Array.from({ length: 9 }, () => status(503)));
  expect(outcome).toMatchObject({ message: "status 503 (tried 8 times)", reason: "provider", detail: "unavailable" });
  expect(calls).toBe(8);
  expect(slept).toEqual([2000, 4000, 8000, 16000, 32000, 60000, 60000]);
  expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("the wait is 2 s doubled each time, 20 % more or less, and never above 60 s", () => {
  expect([backoff(1, 0), backoff(1, 1), backoff(3, 0), backoff(3, 1)]).toEqual([1600, 2400, 6400, 9600]);
  expect([backoff(6, 0), backoff(6, 1), backoff(8, 1)]).toEqual([51200, 60000, 60000]);
});

test("a wait that the provider asks for is kept exactly", async () => {
  const { slept } = await tryWith([new ProviderError("slow down", { status: 429, retryAfterMs: 120_500 })]);
  expect(slept).toEqual([120_500]);
});

test("a wait beyond what a run may last isn't begun", async () => {
  const { outcome, slept } = await tryWith([new ProviderError("slow down", { status: 429, retryAfterMs: 3_600_000 })]);
  expect(outcome).toMatchObject({ message: "slow down (asks to wait 3600 s: not waited for)" });
  expect(slept).toEqual([]);
});

test("a cancelled run isn't tried again", async () => {
  const { outcome, calls } = await tryWith([status(503)], AbortSignal.abort());
  expect(outcome).toMatchObject({ message: "status 503" });
  expect(calls).toBe(1);
});

const limited = (retryAfterMs: number) => new ProviderError("slow down", { status: 429, retryAfterMs });

test("waits of one's own take the place of the usual ones, and a call is given up after them", async () => {
  const { outcome, calls, slept } = await tryWith(
    Array.from({ length: 9 }, () => status(503)),
    never,
    [1, 5, 0.25],
  );
  expect(slept).toEqual([1000, 5000, 250]);
  expect(calls).toBe(4);
  expect(outcome).toMatchObject({ message: "status 503 (tried 4 times)", detail: "unavailable" });
});

test("a call without any wait fails at once", async () => {
  const { outcome, slept } = await tryWith([status(503)], never, []);
  expect(outcome).toMatchObject({ message: "status 503", detail: "unavailable" });
  expect(slept).toEqual([]);
});

test("a rate limit whose end is named is waited out beside one's own waits", async () => {
  const failures = [limited(2500), status(503), limited(0), status(503), status(503)];
  const { outcome, slept, retries } = await tryWith(failures, never, [1, 5]);
  expect(slept).toEqual([2500, 1000, 1000, 5000]);
  expect(retries.map((retry) => [retry.attempt, retry.status])).toEqual([
    [1, 429],
    [2, 503],
    [3, 429],
    [4, 503],
  ]);
  expect(outcome).toMatchObject({ message: "status 503 (tried 5 times)", detail: "unavailable" });
});

test("a rate limit without an end is one of one's own waits", async () => {
  const { outcome, slept } = await tryWith([status(429), status(429)], never, [3]);
  expect(slept).toEqual([3000]);
  expect(outcome).toMatchObject({ detail: "rate_limited" });
});

test("an outage is over when its waits are, also where the provider asks for more", async () => {
  const away = new ProviderError("down", { status: 503, retryAfterMs: 90_000 });
  expect((await tryWith([away, away], never, [1])).slept).toEqual([1000]);
});

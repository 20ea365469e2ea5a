import { expect, test } from "vitest";
import { activeTimeout } from "../../../proc/os/active-timeout.ts";

test("being held up isn't silence: an answer that came meanwhile is heard first", async () => {
  const silence = activeTimeout(500, new AbortController().signal);
  const answer = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(true), 150);
  });
  const since = performance.now();
  while (performance.now() - since < 1000); // held up for longer than the silence may last
  expect(await Promise.race([silence, answer])).toBe(true);
  expect(await silence).toBe(false);
});

test("a timeout ends at once when nobody wants to know any more", async () => {
  const aborted = new AbortController();
  const silence = activeTimeout(3_600_000, aborted.signal);
  aborted.abort();
  expect(await silence).toBe(false);
});

import { expect, test } from "vitest";
import { systemClock } from "../../../backends/provider/clock.ts";

test("a wait ends at once when the run is cancelled", async () => {
  const cancel = new AbortController();
  const waiting = systemClock.sleep(3_600_000, cancel.signal);
  cancel.abort();
  await expect(waiting).rejects.toThrow();
});

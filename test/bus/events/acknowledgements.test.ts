import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Acknowledgements } from "../../../bus/events/acknowledgements.ts";
import { BusServer } from "../bus-server.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "performance"] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("an event without the stream's word is missed after some looks in vain, and not by who was held up", async () => {
  await using server = await BusServer.start();
  const { connection } = await server.as("cortex");
  const missed: string[] = [];
  const acknowledged = new Acknowledgements(connection, "_INBOX_cortex", (agentId) => void missed.push(agentId));
  acknowledged.expect("1736380800000", 7);
  // A minute passes in which nothing is done here; then everything is late at once.
  const late = performance.now() + 60_000;
  vi.spyOn(performance, "now").mockReturnValue(late);
  vi.advanceTimersByTime(4000);
  expect(missed).toEqual([]);
  vi.advanceTimersByTime(4000);
  expect(missed).toEqual(["1736380800000"]);
  expect(acknowledged.firstMissing("1736380800000")).toBe(7);
});

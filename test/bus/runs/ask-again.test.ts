import { JetStreamApiError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { askAgain } from "../../../bus/runs/ask-again.ts";
import { NoCortexError, RejectedError } from "../../../bus/runs/client.ts";

const rejected = (reason: "overloaded" | "invalid" | "duplicate_id") =>
  new RejectedError({ error: "no", reason, request: {} });
const streamFull = new JetStreamApiError({ code: 503, err_code: 10077, description: "maximum messages exceeded" });

test("a run that is refused for now is asked for some ten minutes long, and then given up", () => {
  for (const error of [rejected("overloaded"), streamFull]) {
    let waited = 0;
    let refusals = 0;
    for (let again = askAgain(error, 0, false); again; again = askAgain(error, refusals, false)) {
      expect(again.isRefusal).toBe(true);
      waited += again.afterMs;
      refusals++;
    }
    expect(refusals).toBeLessThan(30);
    expect(waited / 60_000).toBeGreaterThan(8);
    expect(waited / 60_000).toBeLessThan(15);
  }
});

test("a run that was refused and that nobody wants any more isn't asked for again", () => {
  expect(askAgain(rejected("overloaded"), 0, true)).toBe(null);
  expect(askAgain(streamFull, 0, true)).toBe(null);
});

test("a request that can't become a run, or failed otherwise, isn't sent again", () => {
  for (const error of [rejected("invalid"), rejected("duplicate_id"), new Error("no"), new TypeError("no"), null])
    expect(askAgain(error, 0, false)).toBe(null);
});

test("while cortex or the bus is away the request waits for them, and nothing is counted", () => {
  const away = [
    new NoCortexError("1736380800000"),
    new errors.TimeoutError(),
    new errors.NoRespondersError("cortex.request"),
    new errors.ConnectionError("gone"),
    new errors.ClosedConnectionError(),
  ];
  for (const error of away)
    for (const isUnwanted of [false, true])
      expect(askAgain(error, 1000, isUnwanted)).toEqual({ afterMs: 1000, isRefusal: false });
});

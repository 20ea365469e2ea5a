/** Services that ask for a pause of years: a timer of that length would end at once. */
import { GrammyError } from "grammy";
import { expect, test } from "vitest";
import { RetryableDeliveryError } from "../../../channels/adapter/delivery-errors.ts";
import { keepConnected } from "../../../channels/slack/service/connection.ts";
import { Retrier } from "../../../channels/telegram/calls/retrier.ts";
import type { Logger } from "../../../proc/logging/log.ts";

const hourMs = 3_600_000;
const years = 100_000_000;

/** A log that notes the pauses it is told of, and stops everything at the first. */
function pausesNoted() {
  const stop = new AbortController();
  const pauses: number[] = [];
  const warn = ({ pause_ms }: { pause_ms: number }) => {
    pauses.push(pause_ms);
    stop.abort();
  };
  return { pauses, signal: stop.signal, log: { warn, info: () => {} } as unknown as Logger };
}

test("Telegram is asked again after an hour at most", async () => {
  const { pauses, signal, log } = pausesNoted();
  const answer = { ok: false as const, error_code: 429, description: "Too Many Requests" };
  const refuse = () => {
    throw new GrammyError("refused", { ...answer, parameters: { retry_after: years } }, "getMe", {});
  };
  await new Retrier(log, signal).always("who it is", refuse);
  expect(pauses).toEqual([hourMs]);
});

test("the connection to Slack is made anew after an hour at most", async () => {
  const { pauses, signal, log } = pausesNoted();
  const beforeEach = () => Promise.reject(new RetryableDeliveryError("Slack: ratelimited", years * 1000));
  const deps = { appToken: "xapp-1", apiUrl: "http://127.0.0.1:1/api/", handle: () => {}, beforeEach, log, signal };
  await keepConnected(deps);
  expect(pauses).toEqual([hourMs]);
});

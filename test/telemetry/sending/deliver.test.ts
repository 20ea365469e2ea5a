import { expect, test } from "vitest";
import { deliver } from "../../../telemetry/sending/deliver.ts";
import { ReceiverLog } from "../../../telemetry/sending/receiver-log.ts";
import type { SendOutcome } from "../../../telemetry/sending/send-once.ts";

const outgoing = { path: "v1/traces" as const, body: "{}", content: false };
const settings = { otlp_url: "http://127.0.0.1:4318" };

/** Delivers to a receiver that answers so, one after the other. */
function delivery(outcomes: readonly SendOutcome[], stopping = new AbortController()) {
  const [waits, said, sent]: [number[], string[], string[]] = [[], [], []];
  const tell = (level: string) => (_: unknown, message?: string) => void said.push(`${level}: ${message}`);
  const log = { info: tell("info"), warn: tell("warn"), error: tell("error") };
  const done = deliver(
    {
      settings,
      log,
      answers: new ReceiverLog(log),
      sendOnce: (_, { body }) => {
        sent.push(body);
        const outcome = outcomes[sent.length - 1];
        if (outcome) return Promise.resolve(outcome);
        stopping.abort();
        return Promise.resolve({ is: "unanswered", why: "stopped" });
      },
      wait: (ms) => Promise.resolve(void waits.push(ms)),
    },
    outgoing,
    stopping.signal,
  );
  return { done, waits, said, sent };
}

const away: SendOutcome = { is: "unanswered", why: "ECONNREFUSED" };

test("a receiver that is away is tried again, later each time, and said once", async () => {
  const { done, waits, said } = delivery([...Array<SendOutcome>(9).fill(away), { is: "accepted" }]);
  expect(await done).toBe(true);
  expect(waits).toHaveLength(9);
  for (const [tries, ms] of waits.entries()) {
    const most = Math.min(1000 * 2 ** tries, 60_000);
    expect(ms).toBeGreaterThanOrEqual(most / 2);
    expect(ms).toBeLessThanOrEqual(most);
  }
  expect(said.map((line) => line.split(":")[0])).toEqual(["warn", "info"]);
});

test("a receiver that says when to come back is believed", async () => {
  const { done, waits } = delivery([{ is: "unanswered", why: "status 503", afterMs: 4321 }, { is: "accepted" }]);
  expect(await done).toBe(true);
  expect(waits).toEqual([4321]);
});

test("what is refused is dropped, and said", async () => {
  const { done, said, sent } = delivery([{ is: "refused", status: 400, why: "status 400" }]);
  expect(await done).toBe(true);
  expect(sent).toHaveLength(1);
  expect(said).toEqual([expect.stringMatching(/^error: .*dropped/)]);
});

test("a part that wasn't taken is said, and not sent again", async () => {
  const { done, said, sent } = delivery([{ is: "accepted", warning: "3 rejected" }]);
  expect(await done).toBe(true);
  expect(sent).toHaveLength(1);
  expect(said).toEqual([expect.stringMatching(/^warn: /)]);
});

test("a stop ends the tries, and what wasn't answered isn't done with", async () => {
  const { done, sent } = delivery([away]);
  expect(await done).toBe(false);
  expect(sent).toEqual(["{}", "{}"]);
});

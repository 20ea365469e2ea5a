import { expect, test } from "vitest";
import {
  deadLetter,
  deadLetters,
  dropDeadLetter,
  putDeadLetter,
  resendDeadLetter,
} from "../../../bus/runs/dead-letters.ts";
import { requestStream } from "../../../bus/jetstream/streams.ts";
import { BusServer } from "../bus-server.ts";

const given = { ts: 1, reason: "undeliverable", error: "no", stream_seq: 7, deliveries: 10 } as const;
const letterOf = (text: string) => ({ ...given, data: Buffer.from(text).toString("base64") });

test("a letter that two send again at once is stored once, and to drop what is gone is not a failure", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  await putDeadLetter(bus, letterOf("hello"));
  const both = await Promise.all([deadLetter(bus, 1), deadLetter(bus, 1)]);
  for (const stored of both) {
    if (!stored) throw new Error("no letter");
    await resendDeadLetter(bus, stored);
    await dropDeadLetter(bus, stored.number);
  }
  expect(await deadLetters(bus)).toEqual([]);
  const { state } = await (await bus.manager()).streams.info(requestStream);
  expect(state.messages).toBe(1);
});

test("a letter is kept once; another request that had the same place, in a stream that was made anew, has its own", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  for (const text of ["one", "one", "other"]) await putDeadLetter(bus, letterOf(text));
  for (const agent_id of ["1736380800000", "1736380800001"])
    await putDeadLetter(bus, { ...given, reason: "gone", stream_seq: 8, agent_id });
  const kept = (await deadLetters(bus)).map(({ letter }) => letter.agent_id ?? atob(letter.data ?? ""));
  expect(kept).toEqual(["one", "other", "1736380800000", "1736380800001"]);
});

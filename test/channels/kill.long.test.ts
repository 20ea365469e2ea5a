/** An adapter that is killed with -9 between any two steps of a delivery: nothing goes out twice, and nothing is lost unsaid. */
import { expect, test } from "vitest";
import { deliveryFailpoints } from "../../proc/programs/failpoint.ts";
import { StopPoint } from "../chaos/stop-point.ts";
import { ChannelSystem, outbound, secretFile } from "./channel-system.ts";
import { Receiver } from "./receiver.ts";

const ids = ["a", "b", "c", "d"];

/** The state of the message at which it was killed, and whether it had arrived. */
const expected: Record<(typeof deliveryFailpoints)[number], { isSent: boolean; isUnknown: boolean }> = {
  "delivery-prepared": { isSent: false, isUnknown: true },
  delivered: { isSent: true, isUnknown: true },
  "delivery-noted": { isSent: true, isUnknown: false },
};

const cases = deliveryFailpoints.flatMap((point) => [1, 3].map((times) => [point, times] as const));

test.each(cases)("killed at %s, the %i. time", async (point, times) => {
  await using receiver = await Receiver.start();
  await using system = await ChannelSystem.start({
    webhook: { port: 0, secret_file: secretFile, url: receiver.url },
  });
  using stop = new StopPoint();
  const program = system.start("webhook", stop.env);
  await program.isReady();
  stop.set(point, times);
  for (const id of ids) await system.say(outbound(id, "webhook"));
  await system.until(() => stop.isReached(), point);
  stop.clear();
  await program.kill();
  const killed = ids[times - 1] ?? "";
  await system.start("webhook").isReady();
  for (const id of ids) await system.receipt(id);
  // Another one behind them: whatever was still to come has come.
  await system.say(outbound("last", "webhook"));
  await system.receipt("last");
  const { isSent, isUnknown } = expected[point];
  expect(receiver.ids).toEqual([...ids, "last"].filter((id) => id !== killed || isSent));
  for (const id of ids) {
    const receipts = system.receipts(id);
    expect([id, receipts.length]).toEqual([id, 1]);
    expect([id, receipts[0]]).toEqual([
      id,
      id === killed && isUnknown
        ? { ok: false, unknown: true, error: "the adapter ended while it was on its way" }
        : { ok: true },
    ]);
  }
});

test("the same message again goes out once, and the bus may lose all that it has", async () => {
  await using receiver = await Receiver.start();
  await using system = await ChannelSystem.start({
    webhook: { port: 0, secret_file: secretFile, url: receiver.url },
  });
  await system.start("webhook").isReady();
  for (const id of ids) await system.say(outbound(id, "webhook"));
  await system.receipt("d");
  // A stream that is made anew counts from the begin, and has forgotten which ids it had.
  const agents = await system.server.as("agents");
  const { streams } = await agents.manager();
  const { config } = await streams.info("CORTEX_OUT_webhook");
  await streams.delete("CORTEX_OUT_webhook");
  await streams.add(config);
  await system.server.killAndRestart(agents);
  for (const id of ["b", "e"]) await system.say(outbound(id, "webhook"));
  expect(await system.receipt("e")).toEqual({ ok: true });
  expect(receiver.ids).toEqual([...ids, "e"]);
});

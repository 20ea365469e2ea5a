/** The stream of requests keeps each for a month: what has ended by then must not keep out what is new. */
import { expect, test } from "vitest";
import { openBus } from "../../../bus/connection/connect.ts";
import { requestStream } from "../../../bus/jetstream/streams.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";

const most = 100;

test("a stream that gets full forgets what has ended, and copies, and goes on taking requests", async () => {
  await using system = await CortexSystem.start({ settings: fixtureAgents("scripted") });
  const access = readBusAccess(system.journal);
  if (!access) throw new Error("no bus");
  await using bus = await openBus(addressAs(access, "cortex"), "cortex", patienceMs);
  const { streams } = await bus.manager();
  const stored = async () => (await streams.info(requestStream)).state.messages;
  await streams.update(requestStream, { max_msgs: most });
  const waiting = system.nextId();
  const asked = { ts: Number(waiting), prompt: "wait", labels: ["nobody"] };
  for (let sent = 0; sent <= most / 2; sent++) await system.answerTo(asked);

  let before = 0;
  /**
   * Waits for the erasure. A request that was sent before cortex knows that there is no room to waste stays: it looks
   * each time that it tells its status.
   */
  const isForgotten = async () => {
    const told = system.statuses.length;
    before = await stored();
    await system.answerTo(asked);
    const isGone = async () => ((await stored()) === before ? "gone" : system.statuses.length > told && "kept");
    return (await system.until(isGone, "it is gone, or it looks again")) === "gone";
  };
  await system.until(isForgotten, "a copy is forgotten");
  for (let turn = 0; turn <= (most - before) / 10; turn++) {
    const ids = Array.from({ length: 10 }, () => system.request({ prompt: "hello" }));
    for (const id of ids) expect((await system.closed(id)).at(-1)).toMatchObject({ event: "finish" });
  }
  expect(await stored()).toBe(before);
  system.cancel(waiting);
  expect((await system.settled(waiting)).at(-1)).toMatchObject({ reason: "cancelled" });
});

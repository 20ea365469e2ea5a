/** A bus that comes back with less than it had acknowledged: it is noticed, said, and made up for from the files. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openBus } from "../../../bus/connection/connect.ts";
import { eventStream, requestStream } from "../../../bus/jetstream/streams.ts";
import { readBusAccess } from "../../../journal/access/endpoints.ts";
import { state } from "../../../journal/config/paths.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";

const settings = fixtureAgents("scripted");
const finish = { ev: { event: "finish", result: "done" } };

test("streams that were lost are noticed, and what they had of ended runs is published again from the files", async () => {
  await using system = await CortexSystem.start({ settings });
  const ids = [1, 2, 3].map(() => system.steps([{ ev: { event: "text", text: "x" }, times: 5 }, finish]));
  for (const id of ids) await system.settled(id);
  system.publish(JSON.stringify({ prompt: JSON.stringify([finish]) })); // gets its id by its place in the stream
  await system.until(
    () => system.events.filter(({ event }) => event === "finish").length === 4,
    "the fourth has ended",
  );
  const fourth = system.events.find(({ event, agent_id }) => event === "finish" && !ids.includes(agent_id));
  ids.push(fourth?.agent_id ?? "");
  const position = () => JSON.parse(readFileSync(state(system.journal, "bus-position.json"), "utf8"))[requestStream];
  await system.until(() => existsAnd(position) === 4, "how far the bus has come is noted");
  await system.killCortex();
  const access = readBusAccess(system.journal);
  const password = access?.passwords["cortex"];
  await using bus = await openBus({ url: access?.url ?? "", user: "cortex", password }, "cortex", patienceMs);
  const manager = await bus.manager();
  for (const stream of [requestStream, eventStream]) await manager.streams.delete(stream);
  await system.startCortex();
  await system.until(() => system.log.includes("bus_regressed"), "it is noticed");
  for (const id of ids) {
    const isWhole = async () => (await system.stored(id)).length === system.file(id).length;
    await system.until(isWhole, `the events of run ${id} are there again`);
    expect(await system.stored(id)).toEqual(system.file(id));
  }

  const before = system.events.length;
  system.publish(JSON.stringify({ prompt: JSON.stringify([finish]) }));
  const isNew = () => system.events.slice(before).find(({ event, result }) => event === "finish" && result === "done");
  expect(ids).not.toContain((await system.until(isNew, "a request in a used place is a new one")).agent_id);
});

function existsAnd(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

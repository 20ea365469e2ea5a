import { expect, test } from "vitest";
import { openBucket } from "../../../bus/jetstream/bucket.ts";
import { differences, ConfigDrift } from "../../../bus/connection/config-drift.ts";
import { ensureStreams, eventStream } from "../../../bus/jetstream/streams.ts";
import { BusServer } from "../bus-server.ts";

test("an option that is missing is told from one that is false, empty or zero, and more replicas than wanted are not a difference", () => {
  expect(differences({ a: 1, b: false, c: 0, d: ["x"], num_replicas: 1 }, { a: 1, d: ["x"], num_replicas: 3 })).toEqual(
    [],
  );
  expect(differences({ a: 1, b: true, num_replicas: 3 }, { a: 2, num_replicas: 1 })).toEqual([
    "a is 2, wanted 1",
    "b is missing, wanted true",
    "num_replicas is 1, wanted 3",
  ]);
});

test("a difference is reported once, also to a listener that comes late", () => {
  const configDrift = new ConfigDrift();
  const reported: string[] = [];
  configDrift.compare("S", { a: 1 }, {});
  configDrift.onDifference((difference) => reported.push(difference));
  configDrift.compare("S", { a: 1 }, {});
  configDrift.compare("T", { a: 1 }, {});
  expect(reported).toEqual(["S: a is missing, wanted 1", "T: a is missing, wanted 1"]);
  expect(configDrift.differences).toEqual(reported);
});

test("all that we ask for is taken by the server, and an option that it doesn't know is noticed", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  await ensureStreams(bus);
  await openBucket(bus, "plain", 1, { ttl: 60_000 });
  await openBucket(bus, "plain", 1, { ttl: 90_000 });
  expect(bus.configDrift.differences).toEqual([]);
  const manager = await bus.manager();
  expect((await manager.streams.info("KV_plain")).config.max_age).toBe(90_000 * 1e6);
  expect((await manager.streams.info(eventStream)).config.allow_direct).toBe(true);
  // Markers came with 2.11. Before that it says yes, and makes none.
  await openBucket(bus, "marked", 1, { markerTTL: 60_000 });
  const [major = 0, minor = 0] = (bus.connection.info?.version ?? "").split(".").map(Number);
  const knows = major > 2 || minor >= 11;
  expect(bus.configDrift.differences).toEqual(
    knows
      ? []
      : [
          "KV_marked: allow_msg_ttl is missing, wanted true",
          "KV_marked: subject_delete_marker_ttl is missing, wanted 60000000000",
        ],
  );
});

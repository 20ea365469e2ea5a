/** Secrets of a request leave the bus's store, whatever happens at that moment. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { StopPoint } from "../../chaos/stop-point.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { filesWith } from "../../support/files/files-with.ts";

const finish = { ev: { event: "finish", result: "done" } };
const secret = "kept-for-nobody";

/** Where it stands in the bus's store. */
const stored = (system: CortexSystem) => filesWith(join(system.journal, ".state/jetstream"), secret);

test("secrets are erased when the bus is back that was away just then, and by the next cortex when this one dies", async () => {
  using stop = new StopPoint();
  await using system = await CortexSystem.start({ settings: fixtureAgents("scripted"), env: stop.env });
  stop.set("claim-ended", 1);
  const one = system.steps([finish], { env: { TOKEN: secret } });
  await system.until(() => stop.isReached(), "it is about to erase");
  stop.clear();
  await system.stopBus();
  stop.letGo();
  await system.until(() => system.log.includes("the finalization on the bus is pending"), "it couldn't");
  expect(stored(system)).not.toEqual([]);
  await system.startBus();
  await system.closed(one);
  expect(stored(system)).toEqual([]);

  stop.set("claim-ended", 1);
  const two = system.steps([finish], { env: { TOKEN: secret } });
  await system.until(() => stop.isReached(), "it is about to erase again");
  stop.clear();
  await system.killCortex();
  expect(stored(system)).not.toEqual([]);
  await system.startCortex();
  await system.closed(two);
  expect(stored(system)).toEqual([]);
});

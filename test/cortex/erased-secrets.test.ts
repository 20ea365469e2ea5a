/** Secrets of a request leave the bus's store, whatever happens at that moment. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { StopPoint } from "../chaos/stop-point.ts";

const finish = { ev: { event: "finish", result: "done" } };
const secret = "kept-for-nobody";

/** Whether it stands anywhere in the bus's store. */
function isStored(system: CortexSystem): boolean {
  const folder = join(system.journal, ".state/jetstream");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(secret));
}

test("secrets are erased when the bus is back that was away just then, and by the next cortex when this one dies", async () => {
  using stop = new StopPoint();
  await using system = await CortexSystem.start({ settings: fixtureAgents("scripted"), env: stop.env });
  stop.set("claim ended", 1);
  const one = system.steps([finish], { env: { TOKEN: secret } });
  await system.until(() => stop.isReached(), "it is about to erase");
  stop.clear();
  await system.stopBus();
  stop.letGo();
  await system.until(() => system.log.includes("what is owed to the bus waits"), "it couldn't");
  expect(isStored(system)).toBe(true);
  await system.startBus();
  await system.closed(one);
  expect(isStored(system)).toBe(false);

  stop.set("claim ended", 1);
  const two = system.steps([finish], { env: { TOKEN: secret } });
  await system.until(() => stop.isReached(), "it is about to erase again");
  stop.clear();
  await system.killCortex();
  expect(isStored(system)).toBe(true);
  await system.startCortex();
  await system.closed(two);
  expect(isStored(system)).toBe(false);
});

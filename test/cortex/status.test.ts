/** What cortex says of itself, every 5 s. */
import { afterAll, expect, test } from "vitest";
import { workerName } from "../../journal/worker-name.ts";
import { Status } from "../../protocol/subjects.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";

const system = await CortexSystem.start({ settings: { ...fixtureAgents("forever"), max_concurrent: 1 } });
afterAll(() => system[Symbol.asyncDispose]());

test("the status names the worker, what runs, how many wait and how many may run, every 5 s", async () => {
  expect(Status.parse(system.statuses[0])).toMatchObject({ running: [], queued: 0, capacity: 1 });
  const [id, waiting] = [system.request({ prompt: "x", persona: "reviewer" }), system.request({ prompt: "y" })];
  await system.heard(id, "start");
  const before = system.statuses.length;
  const first = await system.until(() => system.statuses[before], "a status");
  const at = performance.now();
  expect(first).toMatchObject({
    worker: workerName(system.journal),
    queued: 1,
    capacity: 1,
    running: [
      {
        agent_id: id,
        persona: "reviewer",
        backend: "forever",
        elapsed_seconds: expect.any(Number),
      },
    ],
  });
  const second = await system.until(() => system.statuses[before + 1], "the next one");
  expect(Math.abs(performance.now() - at - 5000)).toBeLessThan(1000);
  expect(second.running[0]?.elapsed_seconds).toBeGreaterThan(first.running[0]?.elapsed_seconds ?? 0);
  for (const one of [waiting, id]) system.cancel(one);
  for (const one of [waiting, id]) await system.settled(one);
});

/** The status that cortex tells, every 5 s. */
import { afterAll, expect, test } from "vitest";
import { workerName } from "../../journal/access/worker-name.ts";
import { Status } from "../../protocol/runs/subjects.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";

const system = await CortexSystem.start({ settings: { ...fixtureAgents("forever"), max_concurrent: 1 } });
afterAll(() => system[Symbol.asyncDispose]());

test("the status names the worker, what runs, how many wait and how many may run, every 5 s", async () => {
  const atFirst = await system.until(() => system.statuses[0], "the first status");
  expect(Status.parse(atFirst)).toMatchObject({ running: [], queued: 0, capacity: 1 });
  const [id, waiting] = [system.request({ prompt: "x", persona: "reviewer" }), system.request({ prompt: "y" })];
  await system.heard(id, "start");
  const isFull = ({ queued, running }: Status) => queued === 1 && running.length === 1;
  const first = await system.until(() => system.statuses.find(isFull), "a status with both");
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
  const second = await system.until(() => system.statuses[system.statuses.indexOf(first) + 1], "the next one");
  const elapsed = [first, second].map(({ running }) => running[0]?.elapsed_seconds ?? 0);
  // No sooner; a busy machine may be late.
  expect(elapsed[1]! - elapsed[0]!).toBeGreaterThan(4);
  for (const one of [waiting, id]) system.cancel(one);
  for (const one of [waiting, id]) await system.settled(one);
});

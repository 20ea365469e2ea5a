/** `cortex up`, from the bus's being up to all programs' being ready. */
import { UpJournal } from "../../test/supervisor/up-process.ts";
import type { Benchmark } from "../harness/figures/benchmark.ts";
import { startUp } from "../harness/up.ts";

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  await using journal = new UpJournal();
  const bus: number[] = [];
  const rest: number[] = [];
  // The first one makes what the later ones find.
  await (await startUp(journal)).stop();
  for (let round = 0; round < (isQuick ? 1 : rounds); round++) {
    const { took, stop } = await startUp(journal);
    bus.push(took.bus);
    rest.push(took.rest);
    await stop();
  }
  return [
    { what: "cortex up: until nats-server is up", unit: "ms", ours: bus, target: null },
    { what: "cortex up: from then on until all is ready", unit: "ms", ours: rest, target: { atMost: 1000 } },
  ];
};

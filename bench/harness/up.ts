/** Starting everything with `cortex up`, and what that takes. */
import { readSupervised } from "../../journal/programs/supervised.ts";
import { programNames, UpJournal } from "../../test/supervisor/up-process.ts";
import { until } from "./until.ts";

export type StartUp = {
  /** From the start of the process until the bus is up, in ms. */
  bus: number;
  /** From then on until all programs are ready. */
  rest: number;
};

/** Starts everything, and resolves when all is ready. The caller stops it. */
export async function startUp(journal: UpJournal): Promise<{ took: StartUp; stop: () => Promise<unknown> }> {
  const started = Date.now();
  const up = journal.start();
  const stop = () => up.stop();
  await up.isUp();
  // When each became ready stands in its record, to the ms.
  const isReady = () =>
    (readSupervised(journal.path)?.programs ?? []).filter(
      ({ state, started_at }) => state === "ready" && (started_at ?? 0) >= started,
    ).length === programNames.length;
  await until(isReady, "all are ready");
  const since = Object.fromEntries(programNames.map((name) => [name, journal.program(name)?.since ?? Number.NaN]));
  const bus = since["nats-server"] ?? Number.NaN;
  return { took: { bus: bus - started, rest: Math.max(...Object.values(since)) - bus }, stop };
}

/** A run's record and all its steps, read once. */
import { answered, client } from "../../api/client.ts";
import { RunSteps } from "../../trajectory/run-steps.ts";
import type { Run } from "./run-store.ts";

export type ReadRun = { run: Run; steps: RunSteps };

/** The most lines that the API gives at once. */
const pageSize = 1000;

/** @throws ApiError, UnreachableError */
export async function readSteps(id: string, signal: AbortSignal): Promise<ReadRun> {
  const path = { id };
  const run = await answered(client.GET("/api/v1/runs/{id}", { params: { path }, signal }));
  const steps = new RunSteps();
  for (let after: number | null = 0; after !== null; ) {
    const query: { after: number; limit: number } = { after, limit: pageSize };
    const page = await answered(client.GET("/api/v1/runs/{id}/events", { params: { path, query }, signal }));
    for (const event of page.items) steps.add(event);
    after = page.next;
  }
  return { run, steps };
}

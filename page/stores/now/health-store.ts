/** The machine's health: its programs, its places for runs, and what is wrong. Kept up by what happens. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { ReadOrder } from "../../api/read-order.ts";
import { listening, onMachineEvent } from "../../live/machine-events.ts";

export type Health = ApiRecord<"Health">;

/** Null: not known yet. */
export const health = signal<Health | null>(null);

/** Runs begin and end by the dozen: their places are counted again at most so often, in ms. */
const againMs = 2000;
const order = new ReadOrder();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Reads it, and keeps it up; returns what ends that. */
export function followHealth(): () => void {
  const ends = [
    onMachineEvent("program.changed", readSoon),
    onMachineEvent("health.changed", readSoon),
    onMachineEvent("run.changed", readSoon),
    onMachineEvent("reset", readSoon),
  ];
  void listening().then(read);
  return () => ends.forEach((end) => end());
}

function readSoon(): void {
  timer ??= setTimeout(() => {
    timer = null;
    void read();
  }, againMs);
}

/** Reads the health. A failure leaves what was read before: the line at the foot says that it is of then. */
async function read(): Promise<void> {
  const isNews = order.ask();
  try {
    const read = await answered(client.GET("/api/v1/health"));
    if (isNews()) health.value = read;
  } catch {
    // The next change asks again.
  }
}

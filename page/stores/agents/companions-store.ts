/** The long-lived agents, and how they are. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { ReadOrder } from "../../api/read-order.ts";
import { listening, onMachineEvent } from "../../live/machine-events.ts";

export type Companion = ApiRecord<"Companion">;

/** Null: not read yet. */
export const companions = signal<Companion[] | null>(null);
export const companionsProblem = signal<unknown>(null);

/** Many things happen to an agent within a moment: it is read once for them, after so long, in ms. */
const calmMs = 250;
const order = new ReadOrder();

export async function readCompanions(): Promise<void> {
  const isNews = order.ask();
  try {
    const { items } = await answered(client.GET("/api/v1/companions"));
    if (!isNews()) return;
    companions.value = items;
    companionsProblem.value = null;
  } catch (error) {
    if (isNews()) companionsProblem.value = error;
  }
}

/** Says something to an agent: its turn hears it, where one goes on. */
export const sayToCompanion = (id: string, text: string) =>
  answered(client.POST("/api/v1/companions/{id}/messages", { params: { path: { id } }, body: { text } }));

/** The agent whose conversation a run is a turn of; undefined: of none, or of none that is known by now. */
export const companionOf = (agent: string | null): Companion | undefined =>
  agent === null ? undefined : companions.value?.find(({ agent_id }) => agent_id === agent);

/** Reads them, and keeps them up; returns what ends that. */
export function followCompanions(): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const readSoon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      void readCompanions();
    }, calmMs);
  };
  const ends = [onMachineEvent("agent.changed", readSoon), onMachineEvent("reset", () => void readCompanions())];
  void listening().then(readCompanions);
  return () => {
    if (timer !== null) clearTimeout(timer);
    ends.forEach((end) => end());
  };
}

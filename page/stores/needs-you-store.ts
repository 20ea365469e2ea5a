/** How many decisions wait for the one who looks: for the navigation, whatever view is open. */
import { computed, signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../api/client.ts";
import { listening, onMachineEvent } from "../live/machine-events.ts";

type Decision = ApiRecord<"Decision">;

const open = signal<ReadonlySet<string>>(new Set());

export const needsYouCount = computed(() => open.value.size);

/** Reads them, and keeps them up; returns what ends that. */
export function followNeedsYou(): () => void {
  const ends = [
    onMachineEvent("decision.requested", take),
    onMachineEvent("decision.decided", take),
    onMachineEvent("reset", () => void read()),
  ];
  void listening().then(read);
  return () => ends.forEach((end) => end());
}

function take({ id, status }: Decision): void {
  const others = [...open.value].filter((known) => known !== id);
  open.value = new Set(status === "open" ? [...others, id] : others);
}

/** What can't be read leaves what was read before. */
async function read(): Promise<void> {
  try {
    const { items } = await answered(client.GET("/api/v1/decisions"));
    open.value = new Set(items.filter(({ status }) => status === "open").map(({ id }) => id));
  } catch {
    // The next change asks again.
  }
}

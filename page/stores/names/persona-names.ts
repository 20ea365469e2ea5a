/** The names of the personas that can be asked. */
import { signal } from "@preact/signals";
import { answered, client } from "../../api/client.ts";

export const personaNames = signal<readonly string[]>([]);

/** Reads them anew. Without an answer those that are known stay: nobody has to choose one. */
export async function readPersonas(): Promise<void> {
  try {
    const { items } = await answered(client.GET("/api/v1/personas"));
    personaNames.value = items.map(({ name }) => name);
  } catch {}
}

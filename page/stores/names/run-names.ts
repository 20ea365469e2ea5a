/** The personas and models that runs have had: what the list of runs can be filtered by. */
import { signal } from "@preact/signals";
import { answered, client } from "../../api/client.ts";

type RunNames = { personas: readonly string[]; models: readonly string[] };

export const runNames = signal<RunNames>({ personas: [], models: [] });

/** Reads them anew. Without an answer those that are known stay: the list itself says what is wrong. */
export async function readRunNames(): Promise<void> {
  try {
    runNames.value = await answered(client.GET("/api/v1/runs/names"));
  } catch {}
}

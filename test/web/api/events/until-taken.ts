/** Listens where others listen already, as soon as there is room. */
import type { EventReader } from "../../../channels/sse.ts";

/** Asks again as long as too many listen. */
export async function untilTaken(listen: () => Promise<EventReader>): Promise<EventReader> {
  for (;;) {
    const reader = await listen();
    if (reader.status === 200) return reader;
    await reader[Symbol.asyncDispose]();
  }
}

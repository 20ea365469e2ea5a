/** One clock for all that counts, so that seconds tick together. It stands still while nobody looks. */
import { signal } from "@preact/signals";

/** The time by which ages are told, in ms. */
export const now = signal(Date.now());

const tickMs = 1000;

function tick(): void {
  if (!document.hidden) now.value = Date.now();
}

setInterval(tick, tickMs);
document.addEventListener("visibilitychange", tick);

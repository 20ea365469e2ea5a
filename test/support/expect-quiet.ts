/** The check that what was ended writes nothing more: a loop that still ran would write each 50 ms. */
import { setTimeout as delay } from "node:timers/promises";
import { askUntil } from "./ask-until.ts";
import { patienceMs } from "./patience.ts";

const quietMs = 400;
/** In a row: a loop that is starved may rest for one. */
const quietLooks = 2;

/** Waits until files have grown no more for a while, and fails where one never rests. */
export async function expectQuiet(...sizes: (() => number)[]): Promise<void> {
  const measured = () => sizes.map((size) => size());
  let before = measured();
  let quiet = 0;
  const rest = async () => {
    await delay(quietMs);
    const now = measured();
    quiet = now.every((size, index) => size === before[index]) ? quiet + 1 : 0;
    before = now;
    return quiet === quietLooks;
  };
  await askUntil(rest, () => "something still writes", patienceMs);
}

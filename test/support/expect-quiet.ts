/** The check that what was ended writes nothing more: a loop that still ran would write each 50 ms. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { askUntil } from "./ask-until.ts";
import { patienceMs } from "./patience.ts";

const quietMs = 400;

/** Waits until files grow no more, and fails where one does so again. */
export async function expectQuiet(...sizes: (() => number)[]): Promise<void> {
  const measured = () => sizes.map((size) => size());
  let before = measured();
  const rests = async () => {
    await delay(quietMs);
    const now = measured();
    const isSame = now.every((size, index) => size === before[index]);
    before = now;
    return isSame;
  };
  await askUntil(rests, () => "something still writes", patienceMs);
  await delay(quietMs);
  expect(measured()).toEqual(before);
}

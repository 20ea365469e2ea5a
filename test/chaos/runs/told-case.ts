/** A case in words, with what repeats it. */
import { victimName } from "./cases.ts";
import type { Done } from "./matrix.ts";

export function toldCase(seed: number, one: Done): string {
  const { number, setting, kind, point, times, isReached, problems } = one;
  const what = isReached ? `${victimName(one)} killed at` : "ended before";
  const place = times > 1 ? `"${point}", the ${times}. time` : `"${point}"`;
  const outcome = problems.length > 0 ? `\n  ${problems.join("\n  ")}` : "";
  return `npm run chaos -- --seed ${seed} --case ${number}: ${setting}, ${kind}, ${what} ${place}${outcome}`;
}

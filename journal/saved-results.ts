/** Writes the result of a run into a day's folder. */
import { mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isDay, savePattern } from "../protocol/names.ts";
import { inside } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Writes `<journal>/<day>/<save>` and returns its path, relative to the journal. A former result is replaced.
 * @throws Error when the name or the day isn't one, or the path would leave the day's folder
 */
export async function saveResult(journal: string, day: string, save: string, text: string): Promise<string> {
  if (!isDay(day)) throw new Error(`day "${day}": expected a date as YYYYMMDD`);
  if (!savePattern.test(save)) throw new Error(`save "${save}": expected a file name below the day's folder`);
  const folder = inside(journal, day);
  if (relative(inside(journal, "."), folder) !== day) throw new Error(`day "${day}": its folder leads elsewhere`);
  mkdirSync(folder, { recursive: true });
  const path = inside(folder, save);
  mkdirSync(dirname(path), { recursive: true });
  await replaceFile(path, text.endsWith("\n") ? text : `${text}\n`, 0o644);
  return join(day, save);
}

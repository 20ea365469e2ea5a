/** A process that was started ahead of its run: everything is imported by the time that the run comes. */
import type { Line } from "../proc/lines.ts";
import { BeginLine } from "../protocol/run-config.ts";
import { builtInBackend } from "./built-in.ts";

/**
 * Imports what a backend needs, then waits for the line that says where the run works, and goes there. What was started
 * for nobody ends with its stdin.
 * @throws Error for any other line
 */
export async function waitForRun(backend: string, lines: AsyncIterator<Line, undefined>): Promise<void> {
  await builtInBackend(backend);
  await fetch("data:,"); // the platform compiles its client at the first use
  const line = await lines.next();
  if (line.done) return;
  const { work_folder } = BeginLine.parse(JSON.parse(line.value.text));
  process.chdir(work_folder);
  process.env["PWD"] = work_folder;
}

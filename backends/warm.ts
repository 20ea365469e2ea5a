/** A process that was started ahead of its run: everything is imported, and has run once, by the time that the run comes. */
import { exerciseFetch, prepareTls } from "../proc/http/exercise.ts";
import type { Line } from "../files/lines/line-splitter.ts";
import { BeginLine, RunConfig } from "../protocol/runs/run-config.ts";
import { backendOf } from "./built-in.ts";
import { parseOwnJson } from "../protocol/json/parse-json.ts";

/**
 * Imports what a backend needs, then waits for the line that says where the run works, and goes there. What was started
 * for nobody ends with its stdin.
 * @throws Error for any other line
 */
export async function waitForRun(backend: string, lines: AsyncIterator<Line, undefined>): Promise<void> {
  await backendOf(backend, {});
  RunConfig.safeParse({ prompt: "hello", history: [{ role: "user", text: "hello" }] });
  await exerciseFetch();
  if (!isPlain(process.env)) prepareTls();
  const line = await lines.next();
  if (line.done) return;
  const { work_folder } = BeginLine.parse(parseOwnJson(line.value.text));
  process.chdir(work_folder);
  process.env["PWD"] = work_folder;
}

/** Whether the provider is reached without TLS: one on this machine. */
const isPlain = (environment: NodeJS.ProcessEnv) =>
  Object.entries(environment).some(([name, value]) => name.endsWith("_BASE_URL") && value?.startsWith("http:"));

/** Which version a program says that it is. */
import { statSync } from "node:fs";
import { askProgram } from "./ask-program.ts";

/** A program says this at once, or never. */
const answerWithinMs = 5000;

const known = new Map<string, { file: string; said: Promise<string | null> }>();

/**
 * Reads the answer to `--version`, or null when there is none. Asked once, unless another file has taken its place.
 * @param withinMs milliseconds that it has
 */
export function versionOf(path: string, withinMs = answerWithinMs): Promise<string | null> {
  const stats = statSync(path, { throwIfNoEntry: false });
  const file = `${stats?.dev}:${stats?.ino}:${stats?.mtimeMs}`;
  const before = known.get(path);
  if (before?.file === file) return before.said;
  const said = ask(path, withinMs);
  known.set(path, { file, said });
  // Perhaps only this time: a machine without memory or processes to spare.
  void said.then((text) => text ?? known.delete(path));
  return said;
}

async function ask(path: string, withinMs: number): Promise<string | null> {
  const { stdout, error } = await askProgram(path, ["--version"], withinMs);
  return error ? null : stdout.trimEnd();
}

/** A short hash of a text, in letters and digits. Pure. */

/** @param length at most 64 */
export function shortHash(text: string, length: number): string {
  // Loaded when a name needs one, which is seldom: it takes a tenth of what a process costs until it can run.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

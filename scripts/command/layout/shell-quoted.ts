/** A path as a shell takes it, for commands that are shown to be pasted. */
export function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

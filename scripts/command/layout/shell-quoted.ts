/** A word as a shell takes it, for commands that are shown to be pasted. */
export function shellQuoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

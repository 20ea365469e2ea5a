/** Why something failed, as a sentence. Pure. */

/** The message of an error, and what helps. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  const hint = "hint" in error && typeof error.hint === "string" ? `: ${error.hint}` : "";
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${hint}`;
}

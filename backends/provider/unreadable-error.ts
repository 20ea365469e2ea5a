/** An answer of a provider that can't be read. */
export class UnreadableError extends Error {
  override name = "UnreadableError";
}

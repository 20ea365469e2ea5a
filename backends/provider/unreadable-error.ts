/** What came from a provider isn't an answer that can be read. */
export class UnreadableError extends Error {
  override name = "UnreadableError";
}

/** A refusal to run a command, for the model to read. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** A variable whose value can't be, or that is missing. */
export class EnvironmentError extends Error {
  override name = "EnvironmentError";
  /** The advice of what to do. */
  readonly hint: string;

  constructor(message: string, hint = "set it to such a value, or unset it") {
    super(message);
    this.hint = hint;
  }
}

/** Error result of a tool, which the model reads: what it can't do, with the reason. */
export class ToolError extends Error {
  override name = "ToolError";
}

/** Whether an error has one of these codes: the system's (`ENOENT`) or Node's own (`ERR_SQLITE_ERROR`). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

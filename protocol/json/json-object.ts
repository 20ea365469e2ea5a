/** JSON objects as they come: not checked yet. */

/** `null` means absent, also inside a handoff. What the agent or a user nests elsewhere stays as it is. */
export function dropNulls(value: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === null || key === "__proto__") continue; // the latter would be set, not kept
    kept[key] = (key === "handoff" || key === "env") && isRecord(field) ? dropNulls(field) : field;
  }
  return kept;
}

/** Whether a value is a JSON object: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

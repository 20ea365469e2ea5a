/** Text that was cut inside of a character: the API can't read it, and refuses the whole conversation. Pure. */

/** The value with half characters replaced. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name.toWellFormed(), wellFormed(field)]));
}

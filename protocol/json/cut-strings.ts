/** A value with its long strings cut: what is shown or sent of something that may be long. Pure. */
export function cutStrings<Value>(value: Value, length: number): Value {
  return cut(value, length) as Value;
}

function cut(value: unknown, length: number): unknown {
  if (typeof value === "string") return value.length > length ? `${value.slice(0, length)}…` : value;
  if (Array.isArray(value)) return value.map((item) => cut(item, length));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, cut(field, length)]));
}

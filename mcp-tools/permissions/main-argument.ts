/** The main argument of a call, which the rules' `match` looks at: the first that the tool requires, else its first. Pure. */
import { posix } from "node:path";
import { isRecord } from "../../protocol/json/json-object.ts";

/** Characters that a rule can look at. */
const maxText = 16_384;

/** The names of main arguments that are paths, which have many spellings. */
const ofPaths = new Set(["path", "file", "file_path"]);

/** Null: there is none, or it isn't a text that a rule can look at. */
export function mainArgument(inputSchema: unknown, args: unknown): string | null {
  const name = mainName(inputSchema);
  const value = isRecord(args) && name !== null && Object.hasOwn(args, name) ? args[name] : undefined;
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (name === null || typeof text !== "string" || text.length > maxText) return null;
  if (ofPaths.has(name)) return posix.normalize(text);
  return name === "url" ? (URL.parse(text)?.href ?? text) : text;
}

function mainName(schema: unknown): string | null {
  if (!isRecord(schema)) return null;
  const { required, properties } = schema;
  const [first] = [
    ...(Array.isArray(required) ? required : []),
    ...Object.keys(isRecord(properties) ? properties : {}),
  ];
  return typeof first === "string" ? first : null;
}

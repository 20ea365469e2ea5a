/** Names that the API takes: it refuses a whole conversation over one tool name or call id with any other character. Pure. */
import { createHash } from "node:crypto";

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The name itself where the API takes it, else one made from it. The same each time: a result finds its call, and the prefix
 * of the conversation stays what it was. MCP allows dots in tool names, and other models' ids have colons.
 */
export function wireName(name: string): string {
  if (allowed.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `${name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 48)}_${hash}`;
}

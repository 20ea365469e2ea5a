/** Names that the API takes: it refuses a whole conversation over one tool name or call id with any other character. Pure. */
import { shortHash } from "../provider/short-hash.ts";

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The name itself where the API takes it, else one made from it. The same each time: a result finds its call, and the prefix
 * of the conversation stays what it was. MCP allows dots in tool names, and other models' ids have colons.
 */
export function wireName(name: string): string {
  if (allowed.test(name)) return name;
  return `${name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 48)}_${shortHash(name, 12)}`;
}

/**
 * Arguments of a tool that are sent as headers, too (`x-mcp-header` in its schema, MCP 2026-07-28). A client has to leave out a
 * tool that asks for a header that can't be one. Pure.
 */
import { isRecord } from "../json/json-object.ts";

const key = "x-mcp-header";
const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** Says what is wrong with the headers that a schema asks for; null: nothing. @param schema of bounded depth */
export function argumentHeaderProblem(schema: unknown): string | null {
  return problemIn(schema, { taken: new Set(), isRoot: true, isReachable: true });
}

type Place = { taken: Set<string>; isRoot: boolean; isReachable: boolean };

function problemIn(node: unknown, place: Place): string | null {
  const { taken, isRoot, isReachable } = place;
  const inner = (children: unknown[], reachable: boolean) =>
    firstOf(children, (child) => problemIn(child, { taken, isRoot: false, isReachable: reachable }));
  if (Array.isArray(node)) return inner(node, false);
  if (!isRecord(node)) return null;
  const own = key in node ? problemOf(node[key], node["type"], { taken, isRoot, isReachable }) : null;
  if (own !== null) return own;
  const { properties, ...others } = node;
  return (
    (isRecord(properties) ? inner(Object.values(properties), isReachable) : null) ?? inner(Object.values(others), false)
  );
}

function problemOf(name: unknown, type: unknown, { taken, isRoot, isReachable }: Place): string | null {
  if (isRoot || !isReachable) return `${key} stands where no argument is`;
  if (typeof name !== "string" || !tokenPattern.test(name))
    return `${key} ${JSON.stringify(name)} is no name of a header`;
  if (!types.has(type)) return `${key} "${name}" is of an argument that is neither text nor an integer nor a boolean`;
  if (taken.has(name.toLowerCase())) return `${key} "${name}" is there twice`;
  taken.add(name.toLowerCase());
  return null;
}

function firstOf<T>(items: T[], problemWith: (item: T) => string | null): string | null {
  for (const item of items) {
    const problem = problemWith(item);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * The reading of JSON goes through `protocol/json/parse-json.ts` everywhere, which bounds its depth: found by looking
 * at all of the source.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";

const folders =
  "agents,backends,bus,channels,conversation,cortex,journal,mcp-tools,personas,proc,protocol,scripts,supervisor,telemetry";

/** Files that may read JSON by other means, and why. */
const exempt: Record<string, string> = {
  "protocol/json/parse-json.ts": "it is what bounds the depth",
  "protocol/json/cut-depth.ts": "it cuts what it reads",
  "proc/http/response.ts": "the platform's interface, for the providers' SDKs in a run's own process",
};
/** Not shipped: these read what this repository's own tools have written. */
const isTool = (path: string) => dirname(path) === "scripts/conformance";

function bareReads(path: string, text: string): string[] {
  if (!/JSON\.parse|\.json\(/.test(text)) return [];
  const found: string[] = [];
  const add = (start: number) => void found.push(`${path}:${text.slice(0, start).split("\n").length}`);
  new Visitor({
    MemberExpression: ({ object, property, start }) => {
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      if (object.name === "JSON" && property.name === "parse") add(start);
    },
    CallExpression: ({ callee, arguments: given, start }) => {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (callee.property.name === "json" && given.length === 0) add(start);
    },
  }).visit(parseSync(path, text).program);
  return found;
}

test("no source reads JSON of unbounded depth", () => {
  const files = globSync(`{${folders}}/**/*.ts`).filter((path) => !(path in exempt) && !isTool(path));
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap((path) => bareReads(path, readFileSync(path, "utf8")))).toEqual([]);
});

test("a bare read is found", () => {
  const text = "const a = JSON.parse(x);\nconst b = await answer.json();\nlist.map(JSON.parse);\n";
  expect(bareReads("x.ts", text)).toEqual(["x.ts:1", "x.ts:2", "x.ts:3"]);
});

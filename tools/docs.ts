/** `npm run docs`: writes `docs/protocol.md`, `docs/providers.md`, `docs/schema/`, the README's table of coding agents and the types of the workspaces' API. With `--check` it only compares, and exits 1 naming what is stale. Another folder may be named. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Published, published, publishedSchema } from "../scripts/settings/json-schemas.ts";
import { apiPaths } from "../web/api/api-paths.ts";
import { apiTypes } from "./docs/api-types.ts";
import { withCodersTable } from "./docs/coders-table.ts";
import { protocolPage } from "./docs/protocol-page.ts";
import { providersPage } from "./docs/providers-page.ts";

const readme = fileURLToPath(new URL("../README.md", import.meta.url));

/** Generates the pages of `docs/`: text by path. */
export function generatedDocs(): Map<string, string> {
  const names = Object.keys(published) as Published[];
  return new Map([
    ["protocol.md", protocolPage()],
    ["providers.md", providersPage()],
    ["../web/client/api-types.ts", apiTypes(apiPaths())],
    ["../README.md", withCodersTable(readFileSync(readme, "utf8"))],
    ...names.map((name) => [`schema/${name}.json`, `${JSON.stringify(publishedSchema(name), null, 2)}\n`] as const),
  ]);
}

/** The generated files of a folder that are missing, differ, or belong to nothing any more. */
export function staleDocs(folder: string, docs = generatedDocs()): string[] {
  const changed = [...docs].filter(([path, text]) => read(join(folder, path)) !== text).map(([path]) => path);
  return [...changed, ...leftDocs(folder, docs)];
}

/** Writes them, and removes schemas that are no longer published. Returns the paths that changed. */
export function writeDocs(folder: string, docs = generatedDocs()): string[] {
  const stale = staleDocs(folder, docs);
  for (const path of stale) {
    const text = docs.get(path);
    if (text === undefined) {
      rmSync(join(folder, path));
    } else {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  return stale;
}

function leftDocs(folder: string, docs: Map<string, string>): string[] {
  try {
    return readdirSync(join(folder, "schema"))
      .map((name) => `schema/${name}`)
      .filter((path) => !docs.has(path));
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { check: { type: "boolean" } }, allowPositionals: true });
  const folder = positionals[0] ?? fileURLToPath(new URL("../docs", import.meta.url));
  if (values.check) {
    const stale = staleDocs(folder);
    for (const path of stale) process.stderr.write(`docs/${path} is stale: npm run docs\n`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    for (const path of writeDocs(folder)) process.stdout.write(`docs/${path}\n`);
  }
}

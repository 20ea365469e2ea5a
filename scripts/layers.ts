/**
 * Which folder may import what: the table, and the check of every import against it.
 * Libraries point down; services meet only on the bus; each outside thing has one owner.
 */
import { existsSync, globSync, readFileSync, realpathSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Import, importsOf } from "./imports-of.ts";

type Layer = { imports: string[]; types?: string[] };

/** The folders that a folder may import, and those of which it may import types alone. */
const layers: Record<string, Layer | "anything"> = {
  protocol: { imports: [] },
  proc: { imports: [] },
  journal: { imports: ["protocol"] },
  bus: { imports: ["protocol"] },
  personas: { imports: ["protocol"], types: ["journal"] },
  conversation: { imports: ["protocol"], types: ["journal"] },
  backends: { imports: ["protocol", "proc", "conversation"] },
  "mcp-tools": { imports: ["protocol", "proc", "journal", "bus", "personas"] },
  cortex: { imports: ["protocol", "proc", "journal", "bus", "personas", "conversation"] },
  supervisor: { imports: ["protocol", "proc", "journal", "bus", "personas"] },
  agents: { imports: ["protocol", "proc", "journal", "bus", "conversation", "personas"] },
  channels: { imports: ["protocol", "proc", "journal", "bus", "conversation", "personas"] },
  web: { imports: ["protocol", "proc", "journal", "bus", "conversation", "personas"] },
  bin: "anything",
  scripts: "anything",
  examples: "anything",
  bench: "anything",
  test: "anything",
};

/** Who alone may import an outside thing: a package, or every package of a scope. */
const owners: [things: string[], owners: string[]][] = [
  [["@nats-io/*"], ["bus"]],
  [["execa", "node:child_process"], ["proc"]],
  [["chokidar"], ["journal", "personas"]],
  [["node-cron"], ["supervisor"]],
  [["grammy"], ["channels"]],
  [["openai", "@anthropic-ai/*", "@google/genai"], ["backends"]],
  [["@modelcontextprotocol/*"], ["mcp-tools", "backends"]],
  [
    ["node:http", "node:https", "node:http2", "fastify", "@fastify/*", "express", "hono", "@hono/*"],
    ["mcp-tools", "web", "channels", "proc"],
  ],
];

/** Who loads code of the user's: what that is, is known only when it runs. */
const loadsAnything = ["mcp-tools/app-host.ts"];

/** Checks a tree. What it found, each as `file:line: …`, and how much it looked at. */
export function checkLayers(root: string): { problems: string[]; files: number; imports: number } {
  const real = realpathSync(root);
  const files = globSync("**/*.{ts,mts,cts,tsx,js,mjs,cjs}", { cwd: real, exclude: isSkipped })
    .map((file) => file.replaceAll(sep, "/"))
    .toSorted();
  let imports = 0;
  const problems = files.flatMap((file) => {
    const folder = folderOf(file);
    if (folder === undefined) return [];
    const layer = layers[folder];
    if (layer === undefined) return [`${file}:1: the folder ${folder}/ has no row in scripts/layers.ts`];
    const { found, errors } = importsOf(file, readFileSync(join(real, file), "utf8"));
    imports += found.length;
    const unread = errors.map((error) => `${file}:1: can't be parsed: ${error}`);
    if (layer === "anything") return unread;
    const forbidden = found.flatMap((entry) => {
      const problem = problemOf(real, file, folder, layer, entry);
      return problem === null ? [] : [`${file}:${entry.line}: ${problem}`];
    });
    return [...unread, ...forbidden];
  });
  if (files.length === 0 || imports === 0)
    problems.push(`nothing was checked: ${files.length} files, ${imports} imports in ${root}`);
  return { problems, files: files.length, imports };
}

/** Dot-folders hold no code of ours; the others are built or installed. */
function isSkipped(path: string): boolean {
  const name = basename(path);
  return name.startsWith(".") || name === "node_modules" || name === "dist";
}

function folderOf(file: string): string | undefined {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : undefined;
}

function problemOf(
  root: string,
  file: string,
  folder: string,
  layer: Layer,
  { specifier, typeOnly }: Import,
): string | null {
  if (specifier === null && loadsAnything.includes(file)) return null;
  if (specifier === null) return `${folder} imports what can't be known before it runs: name the module`;
  if (!isPath(specifier)) return outsideProblem(folder, specifier);
  const target = ownPath(root, file, specifier);
  if (target.startsWith("../")) return `${folder} imports ${specifier}, which is outside of the project`;
  const to = folderOf(target);
  // A file beside the folders, such as package.json: data, not a layer.
  if (to === undefined || to === folder || layer.imports.includes(to)) return null;
  if (layer.types?.includes(to))
    return typeOnly ? null : `${folder} may import types of ${to} alone, and imports ${specifier}`;
  const allowed = [...layer.imports, ...(layer.types ?? []).map((name) => `types of ${name}`)];
  return `${folder} imports ${specifier}: it may import ${allowed.join(", ") || "nothing of ours"}`;
}

function isPath(specifier: string): boolean {
  return specifier.startsWith(".") || specifier.startsWith("/") || specifier.startsWith("file:");
}

/** Where an import points, from the root. Links are followed, so that a link into another folder is no way around. */
function ownPath(root: string, file: string, specifier: string): string {
  const path = specifier.startsWith("file:") ? fileURLToPath(specifier) : resolve(root, dirname(file), specifier);
  return relative(root, existsSync(path) ? realpathSync(path) : path)
    .split(sep)
    .join(posix.sep);
}

function outsideProblem(folder: string, specifier: string): string | null {
  const name = isBuiltin(specifier) && !specifier.startsWith("node:") ? `node:${specifier}` : specifier;
  for (const [things, allowed] of owners) {
    const owned = things.some((thing) => {
      const stem = thing.endsWith("/*") ? thing.slice(0, -2) : thing;
      return name === stem || name.startsWith(`${stem}/`);
    });
    if (owned && !allowed.includes(folder))
      return `${folder} imports ${specifier}, which belongs to ${allowed.join(", ")}`;
  }
  return null;
}

if (import.meta.main) {
  const { problems, files, imports } = checkLayers(fileURLToPath(new URL("..", import.meta.url)));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`layers: ${imports} imports in ${files} files, ${problems.length} forbidden\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

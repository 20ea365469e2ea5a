/** Holds every import of the project to the tables of folders and rooms (`layers.ts`, `rooms.ts`), and the tables to the folders that there are. */
import { existsSync, globSync, readFileSync, realpathSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { importCircles } from "./sources/import-circles.ts";
import { type Import, importsOf } from "./sources/imports-of.ts";
import { type Layer, layers, loadsAnything, owners } from "./layers.ts";
import { rooms, standalone } from "./rooms.ts";

/** The folders whose inner folders need no row, since they follow those of what they start, show or test. */
const withoutRooms = ["bin", "examples", "test"];

/** Checks a tree. What it found, each as `file:line: …`, and how much it looked at. */
export function checkLayers(root: string): { problems: string[]; files: number; imports: number } {
  const real = realpathSync(root);
  const files = globSync("**/*.{ts,mts,cts,tsx,js,mjs,cjs}", { cwd: real, exclude: isSkipped })
    .map((file) => file.replaceAll(sep, "/"))
    .toSorted();
  let imports = 0;
  const graph = new Map<string, string[]>();
  const problems = files.flatMap((file) => {
    const folder = folderOf(file);
    if (folder === undefined) return [];
    const layer = layers[folder];
    if (layer === undefined) return [`${file}:1: the folder ${folder}/ has no row in tools/layers.ts`];
    const unknown = withoutRooms.includes(folder) ? undefined : roomsOf(file).find((room) => !(room in rooms));
    if (unknown !== undefined) return [`${file}:1: the folder ${unknown}/ has no row in tools/rooms.ts`];
    const { found, errors } = importsOf(file, readFileSync(join(real, file), "utf8"));
    imports += found.length;
    graph.set(file, ownImports(real, file, found));
    const unread = errors.map((error) => `${file}:1: can't be parsed: ${error}`);
    const forbidden = found.flatMap((entry) => {
      const problem =
        (layer === "anything" ? null : problemOf(real, file, folder, layer, entry)) ?? roomProblem(real, file, entry);
      return problem === null ? [] : [`${file}:${entry.line}: ${problem}`];
    });
    return [...unread, ...forbidden];
  });
  problems.push(...importCircles(graph).map((circle) => `${circle[0]}:1: imports itself: ${circle.join(" ▸ ")}`));
  if (files.length === 0 || imports === 0)
    problems.push(`nothing was checked: ${files.length} files, ${imports} imports in ${root}`);
  return { problems, files: files.length, imports };
}

/** Rows that no folder stands for, and rooms that may import each other in a circle. */
export function checkRows(root: string, table: Record<string, string[]> = rooms): string[] {
  const goneOf = (file: string, rows: object) =>
    Object.keys(rows).flatMap((row) => (existsSync(join(root, row)) ? [] : [`${file}: the row ${row} has no folder`]));
  const inCircle = Object.keys(table).filter((room) => reaches(table, room, room));
  return [
    ...goneOf("tools/layers.ts", layers),
    ...goneOf("tools/rooms.ts", table),
    ...inCircle.map((room) => `tools/rooms.ts: the room ${room} imports itself by way of others`),
  ];
}

function reaches(table: Record<string, string[]>, from: string, to: string, seen = new Set<string>()): boolean {
  return (table[from] ?? []).some((name) => {
    const next = posix.join(posix.dirname(from), name);
    if (next === to) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(table, next, to, seen);
  });
}

/** Dot-folders hold no code of ours; the others are built or installed. */
function isSkipped(path: string): boolean {
  const name = basename(path);
  return name.startsWith(".") || name === "node_modules" || name === "dist";
}

function folderOf(file: string): string | undefined {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : undefined;
}

/** The folders within its top folder that a file stands in, the outermost first. */
function roomsOf(file: string): string[] {
  const [folder = "", ...inner] = posix.dirname(file).split("/");
  return inner.map((_, index) => [folder, ...inner.slice(0, index + 1)].join("/"));
}

/** Within a folder: a room imports the rooms below it, and none of the files that stand above. */
function roomProblem(root: string, file: string, { specifier }: Import): string | null {
  if (specifier === null || !isPath(specifier)) return null;
  const target = ownPath(root, file, specifier);
  const [problem] = roomsOf(file).flatMap((room) => {
    const allowed = rooms[room];
    if (allowed === undefined || target.startsWith(`${room}/`)) return [];
    if (standalone.includes(room)) return [`${room} imports ${specifier}: it stands alone`];
    const folder = posix.dirname(room);
    if (!target.startsWith(`${folder}/`) || allowed.some((name) => target.startsWith(`${folder}/${name}/`))) return [];
    return [`${room} imports ${specifier}: of its folder it may import ${allowed.join(", ") || "nothing"}`];
  });
  return problem ?? null;
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

function ownImports(root: string, file: string, imports: readonly Import[]): string[] {
  return imports.flatMap(({ specifier }) =>
    specifier !== null && isPath(specifier) ? [ownPath(root, file, specifier)] : [],
  );
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
  const root = fileURLToPath(new URL("..", import.meta.url));
  const { files, imports, ...found } = checkLayers(root);
  const problems = [...found.problems, ...checkRows(root)];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`layers: ${imports} imports in ${files} files, ${problems.length} forbidden\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

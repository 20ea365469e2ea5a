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

/** The libraries and services: nothing of the tools or tests. */
const shipped = `protocol files proc sandbox bus journal personas conversation
  backends mcp-tools cortex supervisor agents channels`.split(/\s+/);

/** The folders whose sources run at a user's. */
export const shippedFolders: readonly string[] = [...shipped, "scripts", "bin"];

/** The folders that a folder may import, and those of which it may import types alone. */
const layers: Record<string, Layer | "anything"> = {
  protocol: { imports: [] },
  files: { imports: ["protocol"] },
  proc: { imports: ["files"] },
  sandbox: { imports: ["protocol", "files", "proc"] },
  journal: { imports: ["protocol", "files"] },
  bus: { imports: ["protocol", "files"] },
  personas: { imports: ["protocol", "files"], types: ["journal"] },
  conversation: { imports: ["protocol"], types: ["journal"] },
  backends: { imports: ["protocol", "files", "proc", "conversation"] },
  "mcp-tools": { imports: ["protocol", "files", "proc", "sandbox", "journal", "bus", "personas"] },
  cortex: { imports: ["protocol", "files", "proc", "sandbox", "journal", "bus", "personas", "conversation"] },
  supervisor: { imports: ["protocol", "files", "proc", "journal", "bus", "personas"] },
  agents: { imports: ["protocol", "files", "proc", "journal", "bus", "conversation", "personas"] },
  channels: { imports: ["protocol", "files", "proc", "journal", "bus", "conversation", "personas"] },
  scripts: { imports: shipped },
  bin: "anything",
  tools: "anything",
  examples: "anything",
  bench: "anything",
  test: "anything",
};

/**
 * The rooms of a folder, from the ground up: which of its other rooms each may import. The folder's own files stand above all of
 * them. A room may have rooms of its own.
 */
const rooms: Record<string, string[]> = {
  "protocol/json": [],
  "protocol/names": [],
  "protocol/files": [],
  "protocol/agents": ["names", "files"],
  "protocol/guards": ["json"],
  "protocol/runs": ["json", "names", "guards", "files"],
  "protocol/programs": ["runs"],
  "protocol/settings": ["names", "agents", "runs"],
  "protocol/permissions": ["names", "agents", "runs", "settings"],
  "protocol/words": ["json", "guards", "runs"],
  "agents/prompt": [],
  "agents/record": ["prompt"],
  "agents/inbox": ["record"],
  "agents/replies": ["record"],
  "agents/permissions": ["record"],
  "agents/tasks": ["record", "inbox", "permissions"],
  "agents/turns": ["prompt", "record", "inbox", "replies", "tasks"],
  "backends/provider": [],
  "backends/anthropic": ["provider"],
  "backends/google": ["provider"],
  "backends/loop": ["provider"],
  "backends/offline": ["provider"],
  "backends/openai": ["provider"],
  "backends/openai/endpoint": [],
  "backends/openai/chat-completions": ["endpoint"],
  "backends/openai/responses": ["endpoint"],
  "backends/openrouter": ["provider", "openai"],
  "backends/claude": ["provider", "anthropic", "loop"],
  "bus/connection": [],
  "bus/legacy": ["connection"],
  "bus/jetstream": ["connection", "legacy"],
  "bus/claims": ["connection", "legacy", "jetstream"],
  "bus/events": ["connection", "jetstream"],
  "bus/agents": ["connection", "jetstream", "claims", "events"],
  "bus/runs": ["connection", "jetstream", "events"],
  "bus/schedule": ["connection", "events", "runs"],
  "bus/server": ["connection", "jetstream", "agents"],
  "channels/adapter": [],
  "channels/telegram": ["adapter"],
  "channels/web": ["adapter"],
  "channels/webhook": ["adapter"],
  "cortex/model": [],
  "cortex/claims": ["model"],
  "cortex/plan": ["model"],
  "cortex/process": ["model", "plan"],
  "cortex/ports": ["model", "plan", "process"],
  "cortex/intake": ["model", "claims", "ports"],
  "cortex/limits": ["model", "plan"],
  "cortex/output": ["model", "plan", "ports"],
  "cortex/lifecycle": ["model", "claims", "plan", "ports", "intake", "limits", "output"],
  "cortex/replication": ["claims", "intake"],
  "journal/config": [],
  "journal/access": ["config"],
  "journal/chain": ["config"],
  "journal/channels": ["config"],
  "journal/logs": ["config"],
  "journal/quarantine": ["config"],
  "journal/saves": ["config"],
  "journal/permissions": ["config"],
  "journal/programs": ["config", "access"],
  "journal/runs": ["config", "chain"],
  "journal/ended-runs": ["config", "chain", "runs"],
  "journal/notes": ["config", "runs"],
  "journal/attachments": ["config", "notes"],
  "journal/agents": ["config", "notes"],
  "journal/search": ["config", "notes"],
  "journal/backup": ["config", "access", "runs", "ended-runs", "agents"],
  "journal/retention": ["chain", "programs", "runs", "ended-runs", "agents"],
  "mcp-tools/exec": [],
  "mcp-tools/tool": ["exec"],
  "mcp-tools/apps": [],
  "mcp-tools/external": ["tool"],
  "mcp-tools/file-search": ["tool"],
  "mcp-tools/web": ["tool"],
  "mcp-tools/packs": ["tool", "exec", "file-search", "web"],
  "mcp-tools/catalog": ["tool", "external", "packs"],
  "mcp-tools/permissions": ["tool"],
  "mcp-tools/mcp": ["tool", "catalog", "permissions"],
  "proc/http": [],
  "proc/logging": [],
  "proc/os": [],
  "proc/programs": ["logging", "os"],
  "proc/runs": ["os"],
  "scripts/backup": [],
  "scripts/command": [],
  "scripts/mcp": [],
  "scripts/service": [],
  "scripts/settings": [],
  "scripts/audit": ["command"],
  "scripts/runs": ["command"],
  "scripts/schedule": ["command"],
  "scripts/start": ["command"],
  "scripts/chat": ["command", "runs"],
  "scripts/doctor": ["command", "settings", "start"],
  "scripts/commands": [
    "backup",
    "command",
    "mcp",
    "service",
    "settings",
    "audit",
    "runs",
    "schedule",
    "start",
    "chat",
    "doctor",
  ],
  "supervisor/programs": [],
  "supervisor/calendar": [],
  "supervisor/schedule": ["calendar"],
  "tools/conformance": [],
  "tools/docs": [],
  "bench/bare": [],
  "bench/harness": [],
  "bench/lease-or-claim": [],
  "bench/rows": ["harness"],
  "bench/soak": ["harness"],
};

/** Rooms that import nothing of ours from outside themselves. */
const standalone = ["proc/http"];

/** Who alone may import an outside thing: a package, or every package of a scope. */
const owners: [things: string[], owners: string[]][] = [
  [["@nats-io/*"], ["bus"]],
  [
    ["execa", "node:child_process"],
    ["proc", "scripts"],
  ],
  [["chokidar"], ["journal", "personas"]],
  [["node-cron"], ["supervisor"]],
  [["grammy"], ["channels"]],
  [["openai", "@anthropic-ai/*", "@google/genai"], ["backends"]],
  [["@modelcontextprotocol/*"], ["mcp-tools", "backends", "scripts"]],
  [
    ["node:http", "node:https", "node:http2", "fastify", "@fastify/*", "express", "hono", "@hono/*"],
    ["mcp-tools", "channels", "proc", "scripts"],
  ],
];

/** Who loads code of the user's: what that is, is known only when it runs. */
const loadsAnything = ["mcp-tools/apps/app-host.ts"];

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
    if (layer === undefined) return [`${file}:1: the folder ${folder}/ has no row in tools/layers.ts`];
    const unknown = roomsOf(file).find((room) => hasRooms(posix.dirname(room)) && !(room in rooms));
    if (unknown !== undefined) return [`${file}:1: the folder ${unknown}/ has no row in tools/layers.ts`];
    const { found, errors } = importsOf(file, readFileSync(join(real, file), "utf8"));
    imports += found.length;
    const unread = errors.map((error) => `${file}:1: can't be parsed: ${error}`);
    const forbidden = found.flatMap((entry) => {
      const problem =
        (layer === "anything" ? null : problemOf(real, file, folder, layer, entry)) ?? roomProblem(real, file, entry);
      return problem === null ? [] : [`${file}:${entry.line}: ${problem}`];
    });
    return [...unread, ...forbidden];
  });
  if (files.length === 0 || imports === 0)
    problems.push(`nothing was checked: ${files.length} files, ${imports} imports in ${root}`);
  return { problems, files: files.length, imports };
}

/** Rows that no folder stands for, and rooms that import each other in a circle. */
export function checkRows(root: string): string[] {
  const gone = [...Object.keys(layers), ...Object.keys(rooms)].filter((row) => !existsSync(join(root, row)));
  const inCircle = Object.keys(rooms).filter((room) => reaches(room, room));
  return [
    ...gone.map((row) => `tools/layers.ts: the row ${row} has no folder`),
    ...inCircle.map((room) => `tools/layers.ts: the room ${room} imports itself by way of others`),
  ];
}

function reaches(from: string, to: string, seen = new Set<string>()): boolean {
  return (rooms[from] ?? []).some((name) => {
    const next = posix.join(posix.dirname(from), name);
    if (next === to) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(next, to, seen);
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

const hasRooms = (folder: string) => Object.keys(rooms).some((room) => room.startsWith(`${folder}/`));

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

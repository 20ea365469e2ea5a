/** The apps of a journal and of the project: `apps/<app>/tools/*.ts|js`, which add tools. Found here, and followed. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { extname, join, relative, resolve, sep } from "node:path";
import { isFolder, namesIn } from "../../files/folder-entries.ts";
import { watch } from "chokidar";
import { messageOf } from "../../files/errors/error-message.ts";
import { namePattern } from "../../protocol/names/names.ts";
import { inside } from "../config/paths.ts";

export type App = {
  name: string;
  folder: string;
  /** Real paths of its tools' modules, in order. */
  files: string[];
  /** The problems of what stands there and can't be used. */
  problems: string[];
  /** Changes when a file of the app does. */
  version: string;
};

/** Editors write a file in several steps. */
const settleMs = 100;
const maxFiles = 200;

/** All apps that have tools. One of the journal wins over the project's of the same name. */
export function listApps(roots: readonly string[]): App[] {
  const apps = new Map<string, App>();
  for (const root of roots)
    for (const name of shownIn(root)) {
      const app = namePattern.test(name) ? readApp(root, name) : null;
      if (app) apps.set(name, app);
    }
  return [...apps.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Its folder may change or go while it is read: then it is read again soon. */
function readApp(root: string, name: string): App | null {
  try {
    return appIn(root, name, join(root, name));
  } catch (error) {
    const problem = `it can't be read: ${messageOf(error)}`;
    return { name, folder: join(root, name), files: [], problems: [problem], version: "" };
  }
}

function appIn(root: string, name: string, folder: string): App | null {
  const problems: string[] = [];
  const real = (path: string) => {
    try {
      // Links inside of the apps' folder are fine; code from elsewhere isn't part of the journal.
      return inside(root, path);
    } catch (error) {
      problems.push(`${path}: ${messageOf(error)}`);
      return null;
    }
  };
  if (!isFolder(join(folder, "tools")) || real(join(name, "tools")) === null)
    return problems.length > 0 ? { name, folder, files: [], problems, version: "" } : null;
  const found = shownIn(join(folder, "tools")).filter(isModule);
  if (found.length > maxFiles) problems.push(`tools/ has ${found.length} files: the first ${maxFiles} are used`);
  const files = found.slice(0, maxFiles).flatMap((file) => real(join(name, "tools", file)) ?? []);
  return { name, folder: realpathSync(folder), files, problems, version: versionOf(folder) };
}

function isModule(file: string): boolean {
  return (extname(file) === ".ts" || extname(file) === ".js") && !file.endsWith(".d.ts");
}

/** Names, sizes and times of all files of the app: its tools may import any of them. */
function versionOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isOfCode);
  return files
    .toSorted()
    .map((file) => {
      const stats = statSync(join(folder, file), { throwIfNoEntry: false });
      return stats?.isFile() ? `${file} ${stats.size} ${stats.mtimeMs}` : "";
    })
    .join("\n");
}

/** Personas have a watch of their own, and installed modules are too many to look at. */
function isOfCode(path: string): boolean {
  const parts = path.split(sep);
  return parts[0] !== "personas" && !parts.some((part) => part.startsWith(".") || part === "node_modules");
}

/**
 * Says when a file of an app has changed, until the signal. Resolves when every later change will be seen.
 * @param onProblem the watch itself failed
 */
export async function watchApps(
  journal: string,
  { onChange, onProblem, signal }: { onChange: () => void; onProblem: (error: unknown) => void; signal: AbortSignal },
): Promise<void> {
  const root = resolve(journal);
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (path) => path !== root && !isOfApps(relative(root, path)),
  });
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, settleMs);
  });
  const close = () => {
    clearTimeout(timer);
    watcher.close().catch(onProblem);
  };
  await new Promise<void>((done) => {
    watcher.once("ready", done);
    watcher.on("error", (error) => {
      onProblem(error);
      done();
    });
    signal.addEventListener("abort", () => done(), { once: true });
  });
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
}

function isOfApps(path: string): boolean {
  const [first, , ...rest] = path.split(sep);
  return first === "apps" && isOfCode(rest.join(sep));
}

/** The names in a folder that aren't hidden, in order. */
const shownIn = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => !name.startsWith("."))
    .toSorted();

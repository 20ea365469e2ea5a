/** The paths that git's settings name: folders of hooks, and files of settings that they include. Looks only at files. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The deepest chain of includes that git follows, and the longest file that is looked at, in bytes. */
const maxDepth = 10;
const maxBytes = 1024 * 1024;

/** `hooks` as it stands there: relative to the work tree. `included`: absolute. */
export type NamedPaths = { hooks: string[]; included: string[] };

/**
 * Finds the paths that hold for a repository: by its own settings, its user's and the system's.
 * @param git its `.git`, a folder or the file that says where that is
 */
export function pathsNamedFor(git: string): NamedPaths {
  const home = userHome();
  const ofUser = ["/etc/gitconfig", join(home, ".gitconfig"), join(home, ".config/git/config")];
  const named = [...settingsFiles(git), ...ofUser].map((path) => pathsNamedIn(path, home));
  return { hooks: named.flatMap(({ hooks }) => hooks), included: named.flatMap(({ included }) => included) };
}

/** The files of settings of a repository, which may have its own folder elsewhere. */
function settingsFiles(git: string): string[] {
  const says = shortText(git);
  const own = says === "" ? git : resolve(dirname(git), says.replace(/^gitdir:/, "").trim());
  const shared = shortText(join(own, "commondir")).trim();
  return [own, ...(shared === "" ? [] : [resolve(own, shared)])].flatMap((path) =>
    ["config", "config.worktree"].map((name) => join(path, name)),
  );
}

/**
 * Finds all that a file of settings and its includes name, whatever the conditions of an include: more is guarded, never
 * less.
 * @param path where there is none, it names nothing
 * @param home the folder that `~/` stands for
 */
function pathsNamedIn(path: string, home: string, depth = 0): NamedPaths {
  const named: NamedPaths = { hooks: [], included: [] };
  for (const { section, key, value } of settingsIn(shortText(path)))
    if (section === "core" && key === "hookspath") named.hooks.push(expanded(value, home));
    else if ((section === "include" || section === "includeif") && key === "path" && depth < maxDepth) {
      const absolute = resolve(dirname(path), expanded(value, home));
      const inner = pathsNamedIn(absolute, home, depth + 1);
      named.hooks.push(...inner.hooks);
      named.included.push(absolute, ...inner.included);
    }
  return named;
}

type Setting = { section: string; key: string; value: string };

/** The settings of a text, names in lower case, subsections left out. Pure. */
export function settingsIn(text: string): Setting[] {
  const settings: Setting[] = [];
  let section = "";
  // A line that ends in a backslash goes on in the next.
  for (const line of text.replaceAll("\r\n", "\n").replaceAll(/\\\n/g, "").split("\n")) {
    const text = line.trim();
    const header = headerOf(text);
    if (header !== "") section = /[\w-]+/.exec(header)?.[0].toLowerCase() ?? "";
    const [key, ...value] = text.slice(header.length).split("=");
    const name = key?.trim().toLowerCase() ?? "";
    if (value.length > 0 && /^[a-z][\w-]*$/.test(name))
      settings.push({ section, key: name, value: valueOf(value.join("=").trim()) });
  }
  return settings;
}

/** The name of a section at the beginning of a line, in its brackets; "" where there is none. A subsection in quotes may hold brackets. */
function headerOf(line: string): string {
  let isQuoted = false;
  for (let at = line.startsWith("[") ? 1 : line.length; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (isQuoted && line[at] === "\\") at++;
    else if (!isQuoted && line[at] === "]") return line.slice(0, at + 1);
  }
  return "";
}

/** A value without its quotes and its comment. */
function valueOf(text: string): string {
  let value = "";
  let isQuoted = false;
  let length = 0; // without the blanks at the end
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === "#" || char === ";")) break;
    else if (char === "\\") value += { n: "\n", t: "\t", b: "\b" }[text[++at] ?? ""] ?? text[at] ?? "";
    else value += char;
    if (isQuoted || !/\s/.test(char)) length = value.length;
  }
  return value.slice(0, length);
}

const expanded = (path: string, home: string) => (path.startsWith("~/") ? join(home, path.slice(2)) : path);

function userHome(): string {
  try {
    return homedir();
  } catch {
    return "/"; // this user has none
  }
}

/** The text of a small file; empty where there is none. In place of a file there may be a pipe, at which a reader would wait. */
function shortText(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      return stats.isFile() && stats.size <= maxBytes ? readFileSync(file, "utf8") : "";
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

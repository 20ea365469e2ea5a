/**
 * Permissions of a run: Claude Code's own file tools, on files that are really inside its folder. Everything else is refused, tools
 * that nobody knew of when this was written included.
 */
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { messageOf } from "../../files/errors/error-message.ts";
import { hasCode } from "../../files/errors/errno.ts";

/** Its tools that are offered: none runs a program, fetches a page or starts another agent. */
export const offeredTools = ["Read", "Write", "Edit", "Glob", "Grep"] as const;
type OfferedTool = (typeof offeredTools)[number];

type Arguments = Record<string, unknown>;

/** `args`: those of the call with every path as it really is, so that nothing is left to be understood in another way. */
export type CallDecision = { isAllowed: true; args: Arguments } | { isAllowed: false; reason: string };

/** Decides on the calls of a run. Never throws: what can't be looked at is refused. */
export type Guard = (tool: string, args: unknown) => CallDecision;

class Refusal extends Error {}

/** @param folder the run's folder */
export function guardOf(folder: string): Guard {
  const root = realpathSync(folder);
  return (tool, args) => {
    try {
      if (!isOffered(tool))
        throw new Refusal(`${tool} is not allowed here. The tools are: ${offeredTools.join(", ")}.`);
      if (!isObject(args)) throw new Refusal(`${tool}: expected arguments as an object`);
      return { isAllowed: true, args: confine[tool](root, args) };
    } catch (error) {
      if (error instanceof Refusal) return { isAllowed: false, reason: error.message };
      return { isAllowed: false, reason: `${tool}: ${messageOf(error)}` };
    }
  };
}

const confine: Record<OfferedTool, (root: string, args: Arguments) => Arguments> = {
  Read: (root, args) => ({ ...args, file_path: inside(root, args["file_path"]) }),
  Write: (root, args) => ({ ...args, file_path: writable(root, args["file_path"]) }),
  Edit: (root, args) => ({ ...args, file_path: writable(root, args["file_path"]) }),
  Glob: (root, args) => ({
    ...args,
    pattern: relativePattern(args["pattern"]),
    path: inside(root, args["path"] ?? "."),
  }),
  Grep: (root, args) => ({
    ...args,
    ...(args["glob"] !== undefined && { glob: relativePattern(args["glob"]) }),
    path: inside(root, args["path"] ?? "."),
  }),
};

/** The real path of what a path stands for, links followed as far as it exists. */
function inside(root: string, path: unknown): string {
  if (typeof path !== "string") throw new Refusal(`expected a path, got ${JSON.stringify(path)}`);
  // A home folder, blanks that are cut off, and what isn't seen: each may be read in another way than it is here.
  if (/^~|^\s|\s$|\p{Cc}/u.test(path) || path === "")
    throw new Refusal(`${JSON.stringify(path)} is not a plain path: give one inside ${root}`);
  const real = realAsFarAsItGoes(resolve(root, path));
  if (real !== root && !real.startsWith(root + sep))
    throw new Refusal(`"${path}" is outside of ${root}: only what is inside can be read or written`);
  return real;
}

/**
 * Hidden files are settings of programs (`.git/config`, `.claude/settings.json`, `.envrc`): whoever writes them decides what
 * runs when the user next works in this folder.
 */
function writable(root: string, path: unknown): string {
  const real = inside(root, path);
  if (real === root) throw new Refusal(`${root} is a folder`);
  if (
    relative(root, real)
      .split(sep)
      .some((name) => name.startsWith("."))
  )
    throw new Refusal(`"${String(path)}" is hidden: such files can be read here, but not written`);
  return real;
}

/** A pattern names files below the folder that is searched: an absolute one would begin elsewhere. */
function relativePattern(pattern: unknown): string {
  if (typeof pattern !== "string") throw new Refusal(`expected a pattern, got ${JSON.stringify(pattern)}`);
  if (/^\s*(?:[/~\\]|[A-Za-z]:)|\.\.|\p{Cc}/u.test(pattern))
    throw new Refusal(`the pattern "${pattern}" leads out of the folder: give one relative to it, without ".."`);
  return pattern;
}

function realAsFarAsItGoes(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    // A dangling link would be followed by whoever creates the file: it doesn't count as missing.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) throw new Refusal(`"${path}" is a link that leads nowhere`);
    if (found) return realAsFarAsItGoes(path); // somebody has made it since
    const parent = dirname(path);
    return parent === path ? path : join(realAsFarAsItGoes(parent), relative(parent, path));
  }
}

function isOffered(tool: string): tool is OfferedTool {
  return Object.hasOwn(confine, tool);
}

function isObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

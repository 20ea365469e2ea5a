/** Commands as they can be typed where the user stands. Hints are written with the plain names and pass through here. */
import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { packageFile } from "../../proc/programs/package-file.ts";
import { commandNames } from "./command-names.ts";
import { shellQuoted } from "./layout/shell-quoted.ts";

/** Where the user stands: the shell's folder and environment. */
export type CommandPlace = { folder: string; env: NodeJS.ProcessEnv };

const allNames: ReadonlySet<string> = new Set(commandNames);

/** The programs' names, `cortex` with the word behind it. */
const mentioned = /(?<![\w./@-]|npx )(cortex-request|cortex-agent|cortex)(?![\w-])( [a-zA-Z]{1,32}(?![\w-]))?/g;

/** A hint whose commands can be typed as they stand. `cortex` alone, or before another word, is not a command. */
export function asTyped(hint: string, place: CommandPlace = { folder: process.cwd(), env: process.env }): string {
  return hint.replaceAll(mentioned, (whole, program: string, word = "") =>
    program !== "cortex" || word === " COMMAND" || allNames.has(word.trim())
      ? `${typed(program, place)}${word}`
      : whole,
  );
}

function typed(program: string, { folder, env }: CommandPlace): string {
  if (isOnPath(program, env)) return program;
  return ancestors(folder).some((ancestor) => isForNpx(program, ancestor)) ? `npx ${program}` : ownPath(program);
}

/** npx and npm put the programs of the folder on the PATH of what they run, the user's shell doesn't have them there. */
function isOnPath(program: string, env: NodeJS.ProcessEnv): boolean {
  const isOfNpm = (path: string) => env["npm_execpath"] !== undefined && path.split(sep).includes("node_modules");
  const folders = (env["PATH"] ?? "").split(delimiter).filter((path) => path !== "" && !isOfNpm(path));
  return folders.some((path) => isExecutable(join(path, program)));
}

/** npx finds what is installed in a folder, and the programs of the package that the folder is. */
function isForNpx(program: string, folder: string): boolean {
  return existsSync(join(folder, "node_modules", ".bin", program)) || realPath(folder) === packageFolder();
}

function ancestors(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

const packageFolder = () => realPath(packageFile("."));

function ownPath(program: string): string {
  return shellQuoted(packageFile(join("bin", `${program}.js`)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The paths that agents may not write, wherever they may write, and those they may not read: files that make programs
 * run code (git's, and most whose names begin with a dot), and a journal's own. Names are compared as a file system
 * does that ignores case.
 */
import { existsSync, lstatSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { isSecretName } from "../../protocol/guards/secrets.ts";

/** At the top of a journal: settings, what makes runs and tools, and records. What begins with a dot is guarded as such. */
const ownNames = new Set(["cortex.json", "personas", "apps", "skills", "runs", "agents", "attachments", "worktrees"]);

/** The parts of a journal that hold keys, tokens and passwords. */
const secretNames = new Set([".run", ".state", "cortex.json"]);

/** Below a journal: an agent's files for its work, which stand there unless the settings say otherwise, and those of a worktree. */
function isWorkFolder(journal: string, root: string): boolean {
  const [top, , kind] = relative(journal, root).split(sep);
  return (top === "agents" && kind === "work") || (top === "worktrees" && kind === "files");
}

/**
 * Why agents may not write a file, or null when they may.
 * @param root the folder or file where the agent may write: what leads there is its user's choice
 * @param real a real path at or below it
 */
export function whyNotWritten(root: string, real: string): string | null {
  const names = real.split(sep).map(folded);
  if (names.some(isGitName)) return "git reads what to run there";
  // A folder with these three is a repository to git, whatever it is called.
  if (names.at(-1) === "head") return "git takes a folder with such a file for a repository";
  if (below(root, real).some((name) => name.startsWith("."))) return "programs read what to run from names with a dot";
  for (const folder of ancestors(real)) {
    if (isGitFolder(folder)) return "git reads what to run there";
    if (!isJournal(folder)) continue;
    const first = below(folder, real)[0] ?? "";
    const isOwn = ownNames.has(first) || first.startsWith(".");
    if (isOwn && !isWorkFolder(folder, root)) return "it is cortex's own";
  }
  return null;
}

/** Whether a real path is where a journal keeps its secrets. */
export function holdsSecrets(real: string): boolean {
  return ancestors(real).some((folder) => {
    const [first = ""] = below(folder, real);
    return secretsIn(folder)(first);
  });
}

/** Which names in a folder stand for secrets of a journal. */
export function secretsIn(folder: string): (name: string) => boolean {
  if (!isJournal(folder)) return () => false;
  return (name) => secretNames.has(folded(name)) || isKeyFile(folded(name));
}

/** As the README and `cortex up --join` call them. */
const isKeyFile = (name: string) => isSecretName(name.replace(/\.[a-z]+$/, "")) || /\.(nk|creds|key|pem)$/.test(name);

const isJournal = (folder: string) => existsSync(`${folder}/.state`);

const isGitFolder = (folder: string) => ["HEAD", "objects", "refs"].every((name) => hasEntry(`${folder}/${name}`));

const hasEntry = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Also as NTFS calls it for short. */
const isGitName = (name: string) => name === ".git" || /^git~\d+$/.test(name);

/** The folders above a path, up to the root. */
function ancestors(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path), former = path; folder !== former; former = folder, folder = dirname(folder))
    folders.push(folder);
  return folders;
}

const below = (folder: string, path: string): string[] =>
  relative(folder, path)
    .split(sep)
    .filter((name) => name !== "")
    .map(folded);

/** One form for all names that some file system takes for the same: of any case, with characters that aren't seen, or dots at the end. */
function folded(name: string): string {
  const seen = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, "");
  return seen
    .toUpperCase()
    .toLowerCase()
    .replace(/(?<![. ])[. ]+$/, "");
}

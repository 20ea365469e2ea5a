/** `npm run check`: names of files and phrases that docs/glossary.md has replaced, and that may not come back. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Each name of a source with the word that stands for it now. A row comes here when the last such file is gone. */
const names: Record<string, string> = {
  "last-word": "finish",
  "spending-board": "usage-store",
  "mend-bus": "rebuild-streams",
  "watch-position": "detect-rollback",
  "see-through": "run-to-completion",
  surroundings: "context",
  host: "context, deps",
  "set-aside": "quarantine",
  speaker: "access",
  makeup: "fingerprint",
  leftovers: "orphans",
  "kept-program": "supervised-program",
  narrator: "event-mapper",
  said: "input-stream",
  used: "usage",
  opening: "initial-messages",
  concessions: "unsupported-parameters",
  quirks: "unsupported-parameters",
  terms: "unsupported-parameters",
  lane: "queue",
  marks: "cursors",
  slots: "occurrences",
  night: "daily-runs",
  "night-journal": "schedule-journal",
  wake: "wake-ups",
  waker: "wake-ups",
  wakings: "wake-ups",
  spending: "usage",
  utils: "a name for what is in it",
  helpers: "a name for what is in it",
  common: "a name for what is in it",
};

/** Each phrase, in any case, with what we write. */
const phrases: Record<string, string> = {
  "from the contract": "docs/contract.md",
  "the trials": "docs/performance.md, or the measured number",
  "what becomes of times that were slept through": "how missed runs are handled",
};

const skipped = /^(node_modules|dist|test|bench)\b|^CHANGELOG\.md$|^tools\/words\.ts$/;

/** A conflict of git's that nobody resolved. */
const conflict = /^(?:<{7}|>{7}) /m;

/** What is wrong, a line each, and how many files were read. */
export function checkWords(root: string): { problems: string[]; files: number } {
  const found = globSync("**/*.{ts,md}", { cwd: root, exclude: (path) => skipped.test(path) });
  const files = found.filter((path) => !skipped.test(path));
  const problems = files.flatMap((file) => {
    const now = names[basename(file, ".ts")];
    const renamed = file.endsWith(".ts") && now !== undefined ? [`${file}: this name has become ${now}`] : [];
    const text = readFileSync(join(root, file), "utf8");
    const unresolved = conflict.test(text) ? [`${file}: an unresolved conflict`] : [];
    return [...renamed, ...unresolved, ...phrasesIn(file, text)];
  });
  return { problems, files: files.length };
}

function phrasesIn(file: string, text: string): string[] {
  const lines = text.toLowerCase().split("\n");
  return Object.entries(phrases).flatMap(([phrase, now]) =>
    lines.flatMap((line, index) => (line.includes(phrase) ? [`${file}:${index + 1}: "${phrase}": write ${now}`] : [])),
  );
}

if (import.meta.main) {
  const { problems, files } = checkWords(fileURLToPath(new URL("..", import.meta.url)));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`words: ${files} files, ${problems.length} problems\n`);
  process.exitCode = problems.length > 0 || files === 0 ? 1 : 0;
}

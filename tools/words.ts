/** `npm run check`: names, phrases and first words of doc comments that docs/glossary.md has replaced, and that may not come back. */
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
  owed: "pending-finalization",
  reception: "intake",
  "day-book": "daily-usage",
  "outside-server": "external-server",
  peer: "stdio-process",
  hangup: "reload-signal",
  "early-words": "pending-controls",
  standing: "deduplication",
  utils: "a name for what is in it",
  helpers: "a name for what is in it",
  common: "a name for what is in it",
};

/** Each phrase, in any case, with what we write. */
const phrases: [phrase: RegExp, now: string][] = [
  [/from the contract/i, "docs/contract.md"],
  [/the trials/i, "docs/performance.md, or the measured number"],
  [/what becomes of times that were slept through/i, "how missed runs are handled"],
  [/\blast word\b(?! written)/i, "terminal event, or the latest line"],
  [/nothing is left of (?:\$|max_)/i, "… is exhausted"],
  [/\bshared out\b/i, "PSS, or divided among"],
  [/last good settings hold/i, "keeping the previous settings"],
  [/\boutside servers?\b/i, "external server"],
  [/\bdurable point\b/i, "failpoint"],
  [/\bearly words\b/i, "pending controls"],
  [/\bday book\b/i, "daily usage"],
  [/\bspending board\b/i, "usage store"],
  [/\bkept program\b/i, "supervised program"],
  [/\bstray output\b/i, "captured stderr"],
  [/\bmend the bus\b/i, "rebuild streams"],
  [/\bis no (?:month|time of day|cron expression|name for|decision|user of)\b/i, "is not a …"],
];

/** The words with which a doc comment drops the noun that it is about. */
const dropsNoun = /\/\*\*(?:\s|\*(?!\/))*(What|Whatever|Who|Whoever|Whose|Whom|Of|Those|That which)\b/g;

/** This table and the test that plants its words. */
const own = new Set(["tools/words.ts", "test/tools/words.test.ts"]);
const skipped = /^(node_modules|dist)\b|^CHANGELOG\.md$/;

/** A conflict of git's that nobody resolved. */
const conflict = /^(?:<{7}|>{7}) /m;

/** Finds the problems, a line each, and how many files were read. */
export function checkWords(root: string): { problems: string[]; files: number } {
  const found = globSync("**/*.{ts,tsx,md}", { cwd: root, exclude: (path) => skipped.test(path) });
  const files = found.filter((path) => !skipped.test(path) && !own.has(path));
  const problems = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const unresolved = conflict.test(text) ? [`${file}: an unresolved conflict`] : [];
    return [...replacedName(file), ...unresolved, ...phrasesIn(file, text), ...droppedNouns(file, text)];
  });
  return { problems, files: files.length };
}

function replacedName(file: string): string[] {
  const [name = ""] = basename(file).split(".");
  const now = names[name];
  return file.endsWith(".md") || now === undefined ? [] : [`${file}: this name has become ${now}`];
}

function phrasesIn(file: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) =>
    phrases.flatMap(([phrase, now]) => {
      const [found] = phrase.exec(line) ?? [];
      return found === undefined ? [] : [`${file}:${index + 1}: "${found.toLowerCase()}": write ${now}`];
    }),
  );
}

function droppedNouns(file: string, text: string): string[] {
  if (file.endsWith(".md")) return [];
  return [...text.matchAll(dropsNoun)].map(({ index, 0: begin, 1: word = "" }) => {
    const line = text.slice(0, index + begin.length).split("\n").length;
    return `${file}:${line}: a doc comment begins with "${word}": begin with a noun or a verb`;
  });
}

if (import.meta.main) {
  const { problems, files } = checkWords(fileURLToPath(new URL("..", import.meta.url)));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`words: ${files} files, ${problems.length} problems\n`);
  process.exitCode = problems.length > 0 || files === 0 ? 1 : 0;
}

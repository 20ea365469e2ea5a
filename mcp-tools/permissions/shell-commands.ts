/**
 * The commands of a shell line, as far as they can surely be told: what a shell would make of anything else depends on its
 * variables, its files and its history. Pure.
 */

/** Longer lines aren't looked at. In characters. */
const maxLine = 16_384;

/** Between commands. */
const separators = ["&&", "||", "|&", "|", ";", "&", "\n"];

/** Words that begin something else than a command. */
const reserved = new Set(
  "if then elif else fi for while until do done case esac select function time coproc in ! [[ ]]".split(" "),
);

/**
 * The characters that have a meaning to a shell outside of quotes: expansions, redirections, groups, comments,
 * patterns.
 */
const special = new Set("$`(){}<>#*?[]!~^=");

/** A word that needs no quotes when it is shown. */
const plainWord = /^[\w%+,./:@=~^-]+$/u;

/** The commands of a pipeline or list, each with its words quoted where they need it; null for a line that can't be told. */
export function shellCommands(line: string): string[] | null {
  if (line.length > maxLine || /[^\P{Cc}\n\t]/u.test(line)) return null;
  const commands: string[][] = [[]];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  for (let at = 0; at < line.length; ) {
    const char = line[at] ?? "";
    const separator = separators.find((text) => line.startsWith(text, at));
    if (separator !== undefined) {
      endWord();
      commands.push([]);
      at += separator.length;
    } else if (char === " " || char === "\t") {
      endWord();
      at++;
    } else if (char === "'" || char === '"') {
      const end = line.indexOf(char, at + 1);
      const text = line.slice(at + 1, end);
      if (end === -1 || (char === '"' && /[$`\\!]/.test(text))) return null;
      word = (word ?? "") + text;
      at = end + 1;
    } else if (char === "\\") {
      const next = line[at + 1];
      if (next === undefined || next === "\n") return null;
      word = (word ?? "") + next;
      at += 2;
    } else {
      if (special.has(char) && !isHarmless(char, word, commands.at(-1)?.length ?? 0)) return null;
      word = (word ?? "") + char;
      at++;
    }
  }
  endWord();
  const filled = commands.filter((words) => words.length > 0);
  if (filled.length === 0 || filled.some(([first = ""]) => !plainWord.test(first) || reserved.has(first))) return null;
  return filled.map((words) => words.map(quoted).join(" "));
}

/** `=`, `^`, `~` and `#` mean nothing behind a letter or digit of a later word. */
function isHarmless(char: string, word: string | null, wordsBefore: number): boolean {
  return wordsBefore > 0 && "=^~#".includes(char) && /[A-Za-z0-9]$/.test(word ?? "");
}

const quoted = (word: string) => (plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A person's comment on changes, as the agent that made them is told. Pure. */

export type ChangeComment = {
  text: string;
  /** The file, as the changes name it; absent: all of them. */
  path?: string | undefined;
  /** Its line after the changes, from 1. */
  line?: number | undefined;
};

export function commentPrompt({ text, path, line }: ChangeComment, patch: string): string {
  const quoted = path === undefined || line === undefined ? null : lineAfter(patch, path, line);
  const place = path === undefined ? "" : ` at ${path}${line === undefined ? "" : `, line ${line}`}`;
  const said = quoted === null ? [] : [`> ${quoted}`, ""];
  return [`A comment on your changes${place}:`, "", ...said, text].join("\n");
}

/** A quoted line is at most so long. */
const longestLine = 500;

/** A line of a file as it stands after the changes, where the patch shows it. */
export function lineAfter(patch: string, path: string, wanted: number): string | null {
  let isFile = false;
  let number = 0;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) [isFile, number] = [false, 0];
    else if (number === 0 && line.startsWith("+++ ")) isFile = line === `+++ b/${path}`;
    else if (line.startsWith("@@ ")) number = Number(/^@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})/.exec(line)?.[1] ?? 0);
    else if (isFile && number > 0 && (line.startsWith("+") || line.startsWith(" "))) {
      if (number === wanted) return line.slice(1, longestLine + 1);
      number++;
    }
  }
  return null;
}

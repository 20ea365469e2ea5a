/** The instructions of an OpenClaw agent as one text. Pure. */

export type Section = { from: string; title: string; text: string };

/**
 * Sections one after the other, as many as fit; those that don't are `left`.
 * @param aboutFiles says where the files are that the sections name
 */
export function instructionOf(
  aboutFiles: string,
  sections: readonly Section[],
  maxCharacters: number,
): { text: string; left: Section[] } {
  const [soul, ...others] = sections.map((section) => ({ section, text: asText(section) }));
  const pieces = soul ? [soul.text, aboutFiles] : [aboutFiles];
  const left: Section[] = [];
  let size = pieces.join("\n\n").length;
  for (const { section, text } of others) {
    if (size + text.length + 2 > maxCharacters) left.push(section);
    else {
      pieces.push(text);
      size += text.length + 2;
    }
  }
  return { text: pieces.join("\n\n"), left };
}

const asText = ({ title, text }: Section) => (title === "" ? text : `## ${title}\n\n${text}`);

/** Instructions that were written for OpenClaw name files: where each is now, for an agent that has a memory. */
export const filesInMemory = (name: string) => `## Where your files are

The instructions here were written for OpenClaw. SOUL.md, IDENTITY.md, AGENTS.md and TOOLS.md are part of this text. Every other file that they name (MEMORY.md, KNOWLEDGE-MAP.md, config/…, memory/YYYY-MM-DD.md) is in your memory under \`${name}/\`, with the same path: \`memory_read\` of \`${name}/MEMORY.md\` reads the first, \`memory_append\` to \`${name}/memory/YYYY-MM-DD.md\` writes the log of a day. Tools that they name and you don't have are OpenClaw's: say so instead of pretending to use one.`;

/** The same for an agent of a workspace, which has none. */
export const filesLeftBehind = `## Where your files are

The instructions here were written for OpenClaw. SOUL.md, IDENTITY.md, AGENTS.md and TOOLS.md are part of this text; other files that they name can't be read or written here, and the thread is your memory. Tools that they name and you don't have are OpenClaw's: say so instead of pretending to use one.`;

const secret =
  /(?:api[ _-]?key|access[ _-]?key|token|passwor[dt]|passwd|secret)["'`*]*\s*[:=]\s*["'`]?[A-Za-z0-9+/_.-]{12,}|\b(?:sk|ghp|xox[abp]|AKIA)[-_A-Za-z0-9]{16,}/i;

/** Numbers of the lines that look as if they held a key or a password. */
export function secretLines(text: string): number[] {
  return text.split("\n").flatMap((line, index) => (secret.test(line) ? [index + 1] : []));
}

/**
 * Changes of a text file as agents ask for them: written anew, or one place of it replaced. What memory and work folders
 * have in common; what they have not is where their files may stand.
 */
import { type EditDecision, editFile } from "./edit-file.ts";
import type { FacetFile as EditedFile } from "./facet-file.ts";
import { joinLines, type RawLine, splitLines } from "../../files/lines/raw-lines.ts";
import type { CallKey, Edit } from "./tool-calls.ts";

/** A refused access to a file that an agent asked for: why not, and what to do. */
export class TextFileError extends Error {
  override name = "TextFileError";
}

/** Bytes at most of a file that agents write: what is longer, nobody reads again. */
export const maxTextBytes = 1024 * 1024;

/** Characters at most of the text that an edit shows of what it has changed. */
const maxShown = 200;

/** Places that are counted of a text that stands in a file more than once. */
const maxCounted = 100;

/** Whether it was there before: what `rewriteText` says beside what `editFile` does. */
export type Rewritten = Edit & { replaced: boolean };

/**
 * Writes a file anew, whatever stood there.
 * @throws TextFileError, also where somebody else writes it at this moment
 */
export async function rewriteText(file: EditedFile, text: string, once?: CallKey): Promise<Rewritten> {
  const bytes = Buffer.from(text.toWellFormed());
  const edit = { path: file.path, line: 1, text: shown(text) };
  let former: Buffer | undefined;
  const decide = (lines: RawLine[]): EditDecision => {
    const stands = joinLines(lines);
    // Asked a second time: what is there now isn't what was to be replaced.
    if (former !== undefined) throw new TextFileError(`${file.path} was changed meanwhile: read it, then write again`);
    former = stands;
    // An empty text may be of a file that isn't there yet.
    if (bytes.length > 0 && stands.equals(bytes)) return { edit: { ...edit, changed: false } };
    return { edit: { ...edit, changed: true }, lines: splitLines(bytes) };
  };
  const { changed, ...written } = await editText(file, decide, once);
  return { ...written, changed, replaced: changed && former !== undefined && former.length > 0 };
}

/**
 * Replaces a text that stands in a file exactly once, to the byte.
 * @throws TextFileError saying how often it stands there
 */
export async function replaceText(
  file: EditedFile,
  { oldText, newText }: { oldText: string; newText: string },
  once?: CallKey,
): Promise<Edit> {
  if (oldText === newText) throw new TextFileError("old_str and new_str are the same: nothing would change");
  const decide = (lines: RawLine[]): EditDecision => {
    const stands = joinLines(lines);
    const at = onlyPlace(stands, Buffer.from(oldText), file.path);
    const after = [stands.subarray(0, at), Buffer.from(newText.toWellFormed())];
    const line = splitLines(Buffer.concat([stands.subarray(0, at), Buffer.from("x")])).length;
    return {
      edit: { path: file.path, line, text: shown(newText), changed: true },
      lines: splitLines(Buffer.concat([...after, stands.subarray(at + Buffer.byteLength(oldText))])),
    };
  };
  return await editText(file, decide, once);
}

/**
 * Changes a file as `decide` says, within the bounds of such files.
 * @throws TextFileError, FacetFileError
 */
export async function editText(
  file: EditedFile,
  decide: (lines: RawLine[]) => EditDecision,
  once?: CallKey,
): Promise<Edit> {
  const bounded = (lines: RawLine[]): EditDecision => {
    const decision = decide(lines);
    const bytes = (decision.lines ?? []).reduce((sum, line) => sum + line.bytes.length + line.end.length, 0);
    if (bytes > maxTextBytes)
      throw new TextFileError(`${file.path} would have ${bytes} bytes, more than ${maxTextBytes}: begin another file`);
    return decision;
  };
  try {
    return await editFile(file, bounded, once);
  } catch (error) {
    throw refused(error, `${file.path} can't be written`);
  }
}

/**
 * Turns a refusal of the file system, such as of a name that is too long, into an error for the one who asked; all else
 * passes.
 */
export function refused(error: unknown, what: string): unknown {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return error;
  // Its message would show where the folder stands.
  return new TextFileError(`${what}: ${String(error.code)}`, { cause: error });
}

function onlyPlace(bytes: Buffer, wanted: Buffer, path: string): number {
  const at = bytes.indexOf(wanted);
  if (at === -1)
    throw new TextFileError(
      `old_str stands nowhere in ${path} (0 matches): read it, and give the text exactly as it is there, with its spaces and ends of lines`,
    );
  let count = 1;
  // Each match is as long as the text: all of them in a file of one letter would take minutes.
  for (let next = bytes.indexOf(wanted, at + 1); next !== -1 && count < maxCounted; count++)
    next = bytes.indexOf(wanted, next + 1);
  if (count > 1)
    throw new TextFileError(
      `old_str occurs in ${path} more than once (${count}${count === maxCounted ? " or more" : ""} matches): give more of the text around it, so that it fits one place alone`,
    );
  return at;
}

function shown(text: string): string {
  const line = text.split(/[\r\n]/, 1)[0] ?? "";
  return line.length > maxShown ? `${line.slice(0, maxShown).toWellFormed()}…` : line;
}

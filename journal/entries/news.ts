/** The news of a facet, `news/<day>.md`: one newsletter a day. */
import { type EditDecision, editFile } from "../editing/edit-file.ts";
import { dayFile, dayFiles, FacetFileError } from "../editing/facet-file.ts";
import { joinLines, type RawLine, splitLines } from "../../files/lines/raw-lines.ts";
import type { CallKey, Edit } from "../editing/tool-calls.ts";

/** The days of which a facet has news, the oldest first. */
export const newsDays = (journal: string, facet: string) => dayFiles(journal, facet, "news").map(({ day }) => day);

/** Where the news of a day stand, relative to the journal. */
export const newsPath = (journal: string, facet: string, day: string) => dayFile(journal, facet, "news", day).path;

/**
 * Writes the news of a day in place of what stood there.
 * @throws FacetFileError, also where somebody else writes them at this moment
 */
export async function writeNews(
  journal: string,
  facet: string,
  day: string,
  text: string,
  once?: CallKey,
): Promise<Edit & { replaced: boolean }> {
  const file = dayFile(journal, facet, "news", day);
  const news = Buffer.from(text.endsWith("\n") ? text : `${text}\n`);
  const edit = { path: file.path, line: 1, text: text.split("\n", 1)[0] ?? "" };
  let former: Buffer | undefined;
  const write = (lines: RawLine[]): EditDecision => {
    const stands = joinLines(lines);
    // Asked a second time: what is there now isn't what was to be replaced.
    if (former !== undefined) throw new FacetFileError(`${file.path} was changed meanwhile: read it, then write again`);
    former = stands;
    if (stands.equals(news)) return { edit: { ...edit, changed: false } };
    return { edit: { ...edit, changed: true }, lines: splitLines(news) };
  };
  const { changed, ...written } = await editFile(file, write, once);
  return { ...written, changed, replaced: changed && former !== undefined && former.length > 0 };
}

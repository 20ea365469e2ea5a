/** The words with which a run was asked, without the marks that agents and threads put around what was said. Pure. */
import { firstLine } from "../names/names.ts";

/** The line above a user's message that names its channel: what follows was said. */
const channelLine = /(?:^|\n)\[channel: [^\]\n]{1,500}\]\n/;

/** The system's tag, and the line on who asks in a thread. */
const mark = /^(?:<system_message origin="[^"\n]{0,500}">|The person asking is [^\n]{1,500}\n)\s*/;

const endOfTag = "</system_message>";

/** The first line of what was said, as `firstLine` has it. */
export function askedLine(prompt: string): string {
  const line = channelLine.exec(prompt);
  const said = line ? prompt.slice(line.index + line[0].length) : prompt.trimStart().replace(mark, "");
  const shown = firstLine(said);
  return shown.endsWith(endOfTag) ? shown.slice(0, -endOfTag.length) : shown;
}

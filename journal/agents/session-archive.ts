/** The conversations that an agent's compactions have put away: `agents/<agent_id>/archive/<YYYY-MM-DD-HHmmssSSS-n>.jsonl`, read by lines. */
import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/folder-entries.ts";
import { Cuid } from "../../protocol/agents/channel.ts";
import { inside } from "../config/paths.ts";
import { type LineRange, readLines, type Resource, ResourceError } from "../notes/resources.ts";

/** No folder, no hidden name. */
const filePattern = /^[A-Za-z0-9][\w-]{0,63}\.jsonl$/;

/** Names that a message shows at most. */
const maxShown = 20;

/**
 * Lines of an archive of an agent.
 * @throws ResourceError
 */
export function readArchive(journal: string, agentId: string, file: string, lines: LineRange = {}): Resource {
  if (!Cuid.safeParse(agentId).success) throw new Error(`"${agentId}" is not an agent's id`);
  const path = `agents/${agentId}/archive/${file}`;
  if (!filePattern.test(file) || !isStraight(journal, path))
    throw new ResourceError(`"${file}" is not an archive of this agent: ${archives(journal, agentId)}`);
  return readLines(join(realpathSync(journal), path), file, lines);
}

/** Whether it is a file, reached without a link. */
function isStraight(journal: string, path: string): boolean {
  const straight = join(realpathSync(journal), path);
  try {
    return inside(journal, path) === straight && lstatSync(straight).isFile();
  } catch {
    return false;
  }
}

function archives(journal: string, agentId: string): string {
  const names = namesIn(join(journal, "agents", agentId, "archive")).filter((name) => filePattern.test(name));
  if (names.length === 0) return "it has none";
  return `its latest are ${names.toSorted().slice(-maxShown).join(", ")}`;
}

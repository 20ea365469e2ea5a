/** Where an agent works: its tasks, and theirs, share its place, so that what one of them wrote the others can read. */
import { resolve } from "node:path";
import { workFolder } from "../../journal/agents/agent-files.ts";
import { worktreePaths } from "../../journal/worktrees/worktree-record.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { PersonaSettings } from "../../protocol/settings/persona.ts";
import type { AgentRecord } from "./agent-record.ts";
import { personaOf } from "./persona-of.ts";

/** A folder of the user's that a persona names, and the agent whose worktree of it is meant, if one is. */
export type UserPlace = { folder: string; worktreeOf?: string };

/**
 * The user's folder in which an agent's turns work: its persona's, else that of the agent which sent it off. Null: it has none.
 * A task whose persona asks for a worktree has its own; where no persona names a folder, of the one that the settings give
 * all agents.
 */
export function userPlaceOf(agent: AgentRecord): UserPlace | null {
  const own = settingsOf(agent);
  const parent = parentOf(agent);
  const above = parent && userPlaceOf(parent);
  const folder = own.folder ?? above?.folder ?? (own.worktree === true ? commonFolderOf(agent) : undefined);
  if (folder === undefined) return null;
  if (own.worktree ?? false) return { folder, worktreeOf: agent.id };
  const isShared = own.folder === undefined && own.worktree === undefined && above?.worktreeOf !== undefined;
  return { folder, ...(isShared && { worktreeOf: above.worktreeOf }) };
}

/**
 * The fields of a turn's request that say its place: cortex takes none from the persona, which a stranger's agent has,
 * too.
 */
export function placeFields(agent: AgentRecord): Pick<Request, "folder" | "worktree" | "work_of"> {
  const place = userPlaceOf(agent);
  // Without a folder cortex refuses the turn in words.
  if (place === null) return settingsOf(agent).worktree === true ? { worktree: true } : {};
  const { folder, worktreeOf } = place;
  return { folder, worktree: worktreeOf !== undefined, ...(worktreeOf !== undefined && { work_of: worktreeOf }) };
}

/** The folder that the settings give all agents. */
function commonFolderOf({ deps }: AgentRecord): string | undefined {
  const folder = deps.settings().agents?.work_folder;
  return folder === undefined ? undefined : resolve(deps.journal, folder);
}

/** The folder with an agent's files, absolute. */
export function workFolderOf(agent: AgentRecord): string {
  const { deps } = agent;
  const place = userPlaceOf(agent);
  if (place?.worktreeOf !== undefined) return worktreePaths(deps.journal, place.worktreeOf).files;
  return place?.folder ?? commonFolderOf(agent) ?? workFolder(deps.journal, rootOf(agent).id);
}

/** The agent at the top: nobody has sent it off. */
function rootOf(agent: AgentRecord): AgentRecord {
  const parent = parentOf(agent);
  return parent ? rootOf(parent) : agent;
}

const parentOf = ({ descriptor: { parent }, index }: AgentRecord) =>
  parent === undefined ? undefined : index.get(parent);

/** The settings of an agent's persona; none for a stranger's agent, which works nowhere. */
const settingsOf = (agent: AgentRecord): Partial<PersonaSettings> =>
  agent.descriptor.kind === "user" ? {} : (agent.deps.personas.get(personaOf(agent))?.settings ?? {});

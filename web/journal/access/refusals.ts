/** The refusals of the journal's rules, as those who asked hear them. */
import { NoAgentsError } from "../../../bus/agents/agent-calls.ts";
import { ChangesError } from "../../../changes/apply-changes.ts";
import { SkillError } from "../../../journal/agents/skills.ts";
import { SettingsChangedError } from "../../../journal/config/edit-settings.ts";
import { SettingsError } from "../../../journal/config/settings.ts";
import { FacetFileError } from "../../../journal/editing/facet-file.ts";
import { TextFileError } from "../../../journal/editing/text-edits.ts";
import { UnknownFacetError } from "../../../journal/notes/facets.ts";
import { ResourceError } from "../../../journal/notes/resources.ts";
import { PersonaChangedError } from "../../../personas/edit-persona.ts";
import { PersonaFileError } from "../../../personas/persona-files.ts";
import { ScheduleRefusal } from "../../../schedule/units/asked-run.ts";
import { ScheduleWordsError } from "../../../schedule/words/schedule-of-words.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { UnavailableError } from "../../machine/machine.ts";

/** @throws WorkspaceError, UnavailableError */
export async function refusing<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof SettingsError) return new WorkspaceError("invalid", error.problems.join("; "));
  if (error instanceof ScheduleRefusal) return new WorkspaceError("invalid", error.message, error.hint);
  if (error instanceof ResourceError || error instanceof UnknownFacetError)
    return new WorkspaceError("not_found", error.message);
  if (error instanceof SkillError || error instanceof TextFileError || error instanceof FacetFileError)
    return new WorkspaceError("invalid", error.message);
  if (error instanceof PersonaFileError || error instanceof ScheduleWordsError)
    return new WorkspaceError("invalid", error.message);
  if (error instanceof PersonaChangedError || error instanceof SettingsChangedError)
    return new WorkspaceError("conflict", error.message, "read it again, and change that");
  if (error instanceof ChangesError) return new WorkspaceError("conflict", error.message);
  if (error instanceof NoAgentsError) return new UnavailableError(error.message);
  return error;
}

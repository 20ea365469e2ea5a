/** The owners of this moment, where an adapter has to know them: somebody may have been paired since it began. */
import { readOwners } from "../../journal/agents/owners.ts";
import { usableSettings } from "../../journal/config/settings.ts";

/** @returns `<type>:<userId>` each */
export function ownersNow(journal: string): Set<string> {
  const named = usableSettings(journal).settings.agents?.owners ?? [];
  return new Set([...named, ...readOwners(journal)]);
}

/** How long a question waits for an answer. Pure. */
import type { Settings } from "../../protocol/settings/settings.ts";

/** Where the settings don't say: of a run that nobody watches, and of a long-lived agent, in seconds. */
const usualSeconds = { run: 300, agent: 86_400 };

/** @param isOfAgent it is asked in the turn of a long-lived agent, or of its task */
export function waitingSeconds(
  { permission_timeout_seconds: seconds }: Pick<Settings, "permission_timeout_seconds">,
  isOfAgent: boolean,
): number {
  return seconds ?? (isOfAgent ? usualSeconds.agent : usualSeconds.run);
}

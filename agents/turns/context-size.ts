/** Sizes of a conversation at which it is compacted, or begins anew. Pure. */
import type { AgentsSettings } from "../../protocol/agents/agents-settings.ts";

/** Used where neither the settings nor the model say. */
const usualWindow = 200_000;
const usualEmergencyLimit = 200_000;

/** Parts of the window and of the emergency limit for the conversation; the rest is for the turn itself. */
const ofWindow = 0.8;
const ofEmergencyLimit = 0.75;

export type ContextLimits = { window: number; compactAt: number; resetAt: number };

/** In tokens. @param known the model's window, where it is known */
export function contextLimits(settings: AgentsSettings = {}, known?: number): ContextLimits {
  const window = settings.context_window ?? known ?? usualWindow;
  const resetAt = settings.emergency_context_limit ?? usualEmergencyLimit;
  return { window, compactAt: Math.min(ofWindow * window, ofEmergencyLimit * resetAt), resetAt };
}

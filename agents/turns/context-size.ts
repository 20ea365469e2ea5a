/** When a conversation has grown too large. Pure. */
import type { AgentsSettings } from "../../protocol/agents/agents-settings.ts";

/** Where neither the settings nor the model say. */
const usualWindow = 200_000;
const usualEmergencyLimit = 200_000;

/** Of the window, and of the emergency limit: what is left is for the turn itself. */
const ofWindow = 0.8;
const ofEmergencyLimit = 0.75;

export type ContextLimits = { window: number; compactAt: number; resetAt: number };

/** In tokens. @param known what the model takes, where it has told */
export function contextLimits(settings: AgentsSettings = {}, known?: number): ContextLimits {
  const window = settings.context_window ?? known ?? usualWindow;
  const resetAt = settings.emergency_context_limit ?? usualEmergencyLimit;
  return { window, compactAt: Math.min(ofWindow * window, ofEmergencyLimit * resetAt), resetAt };
}

/** Sizes of a conversation at which it is compacted, or begins anew. Pure. */
import { emergencyLimit, mostOfAgent } from "../../protocol/agents/agent-context.ts";
import type { AgentsSettings } from "../../protocol/agents/agents-settings.ts";

/** Used where neither the settings nor the model say. */
const usualWindow = 200_000;

/** Part of the window for the conversation; the rest is for the turn itself. */
const ofWindow = 0.8;

export type ContextLimits = { window: number; compactAt: number; resetAt: number };

/** In tokens. @param known the model's window, where it is known */
export function contextLimits(settings: AgentsSettings = {}, known?: number): ContextLimits {
  const window = settings.context_window ?? known ?? usualWindow;
  return {
    window,
    compactAt: Math.min(ofWindow * window, mostOfAgent(settings)),
    resetAt: emergencyLimit(settings),
  };
}

/** Sizes of a long-lived agent's conversation that its settings say. Pure. */
import type { AgentsSettings } from "./agents-settings.ts";

const usualEmergencyLimit = 200_000;
/** Part of the emergency limit for the conversation; the rest is for the turn itself. */
const ofEmergencyLimit = 0.75;

/** The tokens from which on an agent begins anew where its conversation can't be made smaller. */
export const emergencyLimit = ({ emergency_context_limit }: AgentsSettings = {}): number =>
  emergency_context_limit ?? usualEmergencyLimit;

/** The tokens from which on an agent's conversation is summed up, however large its model's window is. */
export const mostOfAgent = (settings: AgentsSettings = {}): number =>
  Math.floor(ofEmergencyLimit * emergencyLimit(settings));

/** The text of an agent, or a persona, with its settings. Pure. */
import type { Values } from "../forms/schema-fields.ts";
import { isRecord } from "../json/read-json.ts";
import { rebasedValues } from "./rebased-values.ts";
import { changedNames } from "./settings-draft.ts";

export type AgentText = { instruction: string; settings: Values };

export const noText: AgentText = { instruction: "", settings: {} };

export const isAgentText = (value: unknown): value is AgentText =>
  isRecord(value) && typeof value["instruction"] === "string" && isRecord(value["settings"]);

export const isSameText = (one: AgentText, other: AgentText): boolean =>
  trimmed(one.instruction) === trimmed(other.instruction) &&
  settingsJson(one.settings) === settingsJson(other.settings);

/** An end of line at the end is no change: one is added when it is saved. */
const trimmed = (text: string) => text.replace(/\n$/, "");

export const settingsJson = (settings: Values): string => JSON.stringify(settings, null, 2);

/** How many settings differ, and the text as one: `2 changes`. */
export const changesOf = (before: AgentText, after: AgentText): number =>
  changedNames(before.settings, after.settings).length +
  (trimmed(before.instruction) === trimmed(after.instruction) ? 0 : 1);

/** Puts what was changed while `sent` was being saved on top of what was saved. */
export const rebasedText = (mine: AgentText, sent: AgentText, saved: AgentText): AgentText => ({
  instruction: trimmed(mine.instruction) === trimmed(sent.instruction) ? saved.instruction : mine.instruction,
  settings: rebasedValues(mine.settings, sent.settings, saved.settings),
});

/** About how many tokens a text is: four characters each. */
export const aboutTokens = (text: string): number => Math.ceil(text.length / 4);

/** Set-up of a channel: what is asked of whoever adds it, how the service is asked whether that is right, and what is left to do. */
import type { ChannelSettings } from "../../protocol/agents/channel-settings.ts";

export type SetupQuestion = {
  /** Where the answer stands in `channels.<type>`; `imap.host` stands within `imap`. */
  setting: string;
  /** In words, with what an answer looks like. */
  ask: string;
  /** The answer where nothing is typed; null: none is needed. Absent: there has to be one. */
  usual?: string | null;
  /** The answer isn't shown. It goes into a file, whose name stands in the settings. */
  secretFile?: string;
  /** The value that stands in the settings. @throws Error with words, for an answer that can't be one */
  read?: (answer: string) => unknown;
};

export type SetupPlace = {
  journal: string;
  settings: ChannelSettings;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
};

export type ChannelSetup = {
  /** Steps on the other side before anything is asked. */
  before: readonly string[];
  questions: readonly SetupQuestion[];
  /** Asks the service. Resolves with what was found there. @throws Error in words that have no secret in them */
  check: (place: SetupPlace) => Promise<string>;
  /** Steps that are left, once the settings are written. */
  after: (settings: ChannelSettings) => readonly string[];
};

/** Ids of users, separated by commas. */
export const allowQuestion = (ids: string): SetupQuestion => ({
  setting: "allow",
  ask: `Who may write (${ids}, separated by commas; empty: anybody, as a stranger)`,
  usual: null,
  read: (answer) => answer.split(",").flatMap((id) => (id.trim() === "" ? [] : [id.trim()])),
});

/** The step that makes somebody an owner. */
export const pairStep = "cortex pair, and send its code there: whoever does is an owner";

/** A service of a channel as its played server plays it: what the common table of tests asks of each. */
import type { AdapterType, ChannelSettings } from "../../../protocol/agents/channel-settings.ts";

/** A person on the service, who has a room of their own with our agents. */
export type Person = { userId: string; channelId: string };

export type PlayedFile = { name: string; mime: string; bytes: Buffer };

/** The next delivery fails so: the service asks to wait a moment, or breaks off before it says whether it was taken. */
export type PlayedFailure = "limit" | "broken";

export type PlayedService = AsyncDisposable & {
  type: AdapterType;
  /** The settings with which the adapter finds the played server. Files of secrets are named relative to the journal. */
  settings: ChannelSettings;
  /** The files of the journal that the settings name, by path. */
  secrets: Record<string, string>;
  /** Called once the adapter is ready, and each time it is so again. @param url where it listens, if it does */
  isThere?: (url: string, journal: string) => void | Promise<void>;
  /** `owner` is one by the settings, `stranger` is nobody, `newcomer` is going to be paired. Where all are owners there are no others. */
  people: { owner: Person; others?: Record<"stranger" | "newcomer", Person> };
  /**
   * Somebody writes to the agents. Returns what `repeat` takes. Resolves when the service has it, whether or not the adapter is
   * there.
   */
  write: (who: Person, text: string, file?: PlayedFile) => unknown;
  /** Hands the adapter a message again that it has had, as the service does when it isn't sure. */
  repeat: (written: unknown) => void | Promise<void>;
  /** The texts that somebody has got, in order, as they are shown to them. A part is one of its own. */
  texts: (who: Person) => string[];
  /** The files that somebody has got. */
  files: (who: Person) => Omit<PlayedFile, "mime">[];
  /** Absent: the service has no such failures. */
  fail?: (failure: PlayedFailure) => void;
  /** Breaks the connections that the adapter has open. */
  drop: () => void;
  /** How **bold** and `code` are shown there, as they stand in `texts`: of "It is **open** at `pier 4`". */
  marked: string;
  /** Presses a button of the last question, or answers it as people do there. */
  decide: (who: Person, question: string, decision: "allow" | "deny") => void | Promise<void>;
};

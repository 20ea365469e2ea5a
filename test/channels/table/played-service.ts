/** A service of a channel as its played server plays it: what the common table of tests asks of each. */
import type { AdapterType, ChannelSettings } from "../../../protocol/agents/channel-settings.ts";

/** A person on the service, who has a room of their own with our agents. */
export type Person = { userId: string; channelId: string };

export type PlayedFile = { name: string; mime: string; bytes: Buffer };

/**
 * The next delivery fails so: the service asks to wait a moment, or breaks off before it says whether it was taken, or has taken it
 * and breaks off in the middle of saying so.
 */
export type PlayedFailure = "limit" | "broken" | "torn";

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
  /** Absent: what comes has no order of its own. Two messages are written, and the later one is handed over first. Returns what `repeat` takes of the older one. */
  overtake?: (who: Person, older: string, later: string) => unknown;
  /** Absent: files come within their messages. The next file that the adapter fetches breaks off in the middle. */
  tearFile?: () => void;
  /** Absent: nobody posts to the adapter. Somebody writes, and the connection breaks in the middle of that. Returns what `repeat` takes. */
  writeHalf?: (who: Person, text: string) => Promise<unknown>;
  /** Absent: the service knows the adapter by no secret of a file. */
  token?: {
    /** The path in `secrets`. */
    file: string;
    /** Takes the token back. */
    refuse: () => void;
    accept: () => void;
    /** Words of the log that say why the program has ended. */
    why: string;
  };
  /** Breaks the connections that the adapter has open. */
  drop: () => void;
  /** How **bold** and `code` are shown there, as they stand in `texts`: of "It is **open** at `pier 4`". */
  marked: string;
  /** Presses a button of the last question, or answers it as people do there. */
  decide: (who: Person, question: string, decision: "allow" | "deny") => void | Promise<void>;
};

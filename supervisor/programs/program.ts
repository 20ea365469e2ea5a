/** A supervised program: what it is, as data. The states of its life are in `program-life.ts`. */
import type { ProcessIdentity } from "../../proc/processes/identity.ts";
import type { Probe } from "./probe.ts";

export type Program = {
  name: string;
  /** The programs that must be ready before it is started. */
  needs: readonly string[];
  /** The command and the environment, made anew at each start: a port may have changed. `nonce` is the env marker of this start. */
  launch: (nonce: string) => Promise<{ command: string[]; env: NodeJS.ProcessEnv }>;
  /** Called with the identity of the started process. */
  launched?: (nonce: string, identity: ProcessIdentity) => Promise<void>;
  /** A hash of everything that a start would use now. A living process with another fingerprint must make way. */
  fingerprint: () => Promise<string>;
  /** Whether the process is ready. Asked again and again until it is. */
  isReady: Probe;
  /** Whether it still answers. Asked for as long as it lives. */
  isResponsive: Probe;
  /** Milliseconds after which it is asked again. */
  askedEveryMs: number;
  stopSignal: NodeJS.Signals;
  /** The signal of a second request to stop: of two equal signals a process may see one. Default: `stopSignal`. */
  againSignal?: NodeJS.Signals;
  /** The signal for making way to another of its kind. */
  yieldSignal: NodeJS.Signals;
  /** Milliseconds that it may take to stop before its group is killed. */
  stopGraceMs: () => number;
  /** Whether SIGHUP makes it read its settings again. */
  rereads: boolean;
  /** Whether the system counts as up without it. */
  isAside?: boolean;
  /** Whether the settings ask for it, asked at a start and when they are reread. Absent: it is always wanted. */
  isWanted?: () => boolean;
  /** Applies settings around a living process. Called when it is adopted and when settings are reread. */
  refresh?: () => Promise<void>;
};

/** Programs in the order of their needs, as they are started. @throws Error for a need that isn't there before */
export function checkNeeds(programs: readonly Program[]): void {
  const before = new Set<string>();
  for (const { name, needs } of programs) {
    for (const need of needs)
      if (!before.has(need)) throw new Error(`${name} needs ${need}, which must stand before it in the list`);
    before.add(name);
  }
}

/** A supervised program: what it is, as data. The table of its life is in `table.ts`. */
import type { Identity } from "../../proc/os/identity.ts";

export type Program = {
  name: string;
  /** The programs that must be ready before it is started. */
  needs: readonly string[];
  /** The command and the environment, made anew at each start: a port may have changed. `nonce` is the mark of this start. */
  launch: (nonce: string) => Promise<{ command: string[]; env: NodeJS.ProcessEnv }>;
  /** Told who it has become. */
  launched?: (nonce: string, identity: Identity) => Promise<void>;
  /** What a start would be made of now. A living process that was made of something else must make way. */
  makeup: () => Promise<string>;
  /** Whether the process is ready. Asked again and again until it is. */
  isReady: Probe;
  /** Whether it still answers. Asked for as long as it lives. */
  isResponsive: Probe;
  /** How often it is asked that, in ms. */
  askedEveryMs: number;
  stopSignal: NodeJS.Signals;
  /** What one that was asked to stop is told so that it doesn't wait: of two signals of one kind it may hear one. Default: `stopSignal`. */
  againSignal?: NodeJS.Signals;
  /** How it makes way to another of its kind. */
  yieldSignal: NodeJS.Signals;
  /** How long it may take to stop, in ms, before its group is killed. */
  stopGraceMs: () => number;
  /** Whether SIGHUP makes it read its settings again. */
  rereads: boolean;
  /** Whether nobody waits for it: all is up without it. */
  isAside?: boolean;
  /** Brings in order, under a living process, what the settings want around it. Asked when it is taken up and when settings are read again. */
  refresh?: () => Promise<void>;
};

/** Asks a process. What it throws is a no. */
export type Probe = (process: { pid: number; startedAt: number }) => Promise<boolean>;

/** How long a probe may take: a hanging one is a no. */
export const probeWithinMs = 2000;

/** The variable that holds the mark of a start. */
export const nonceName = "CORTEX_PROGRAM_NONCE";

/** Programs in the order of their needs, as they are started. @throws Error for a need that isn't there before */
export function checkNeeds(programs: readonly Program[]): void {
  const before = new Set<string>();
  for (const { name, needs } of programs) {
    for (const need of needs)
      if (!before.has(need)) throw new Error(`${name} needs ${need}, which must stand before it in the list`);
    before.add(name);
  }
}

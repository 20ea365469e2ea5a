/** A supervised program: what it is, as data. */
export type Program = {
  name: string;
  /** The command, made anew at each start: a port may have changed. */
  command: () => Promise<string[]>;
  env: NodeJS.ProcessEnv;
  /** Whether the process with this pid is ready. Asked again and again until it is. */
  isReady: (pid: number) => Promise<boolean>;
  stopSignal: NodeJS.Signals;
  /** How long it may take to stop, in ms, before it is killed. */
  stopGraceMs: number;
};

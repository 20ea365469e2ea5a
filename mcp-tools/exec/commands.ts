/** The commands of all runs: each run or conversation has its own, and they end when it does. */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunPlace } from "../../journal/access/tokens.ts";
import { ChannelSecretError } from "../../journal/channels/channel-secret.ts";
import { forgetCommands, noteCommands } from "../../journal/programs/running-commands.ts";
import { sandboxKeys } from "../../journal/programs/sandbox-keys.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { findProgram } from "../../proc/os/find-program.ts";
import { findIsolation } from "../../proc/runs/isolation.ts";
import { inSandbox, type Sandboxed } from "../../sandbox/in-sandbox.ts";
import { sandboxHere, sandboxRemedy } from "../../sandbox/sandbox-level.ts";
import { networkRules } from "../../sandbox/network/checked-address.ts";
import { KeyMask } from "../../sandbox/network/key-mask.ts";
import { openCommand, shellCommand } from "../../sandbox/sandboxed-command.ts";
import { CommandError } from "./command-error.ts";
import { RunningCommand } from "./running-command.ts";
import { commandEnvironment, wallsOfRun } from "./walls-of-run.ts";

/** The owner of a command: a run, or a long-lived agent's conversation. */
export type Owner = {
  key: string;
  /** Whether that goes on. */
  isLive: () => Promise<boolean>;
  /** Tells it that a process has ended by itself. */
  tellEnd: (id: string, text: string) => Promise<void>;
};

export type CommandSpec = {
  owner: Owner;
  place: RunPlace;
  /** Where the command works: real paths, the second in the first. */
  folder: string;
  cwd: string;
  command: string;
  onText?: (text: string) => void;
};

type OwnedCommands = {
  owner: Owner;
  folder: string;
  commands: Map<string, RunningCommand>;
  next: number;
  /** The keys that they use, if they ever used one: a stand-in stays the same from command to command. */
  mask: KeyMask | null;
};

/** Bytes of the file with all that a command prints. */
const maxOutputBytes = 64 * 1024 * 1024;
const maxFileBytes = 4 * 1024 * 1024 * 1024;
const maxOpenFiles = 4096;
const mebibyte = 1024 * 1024;

/** Commands of one owner, at once. */
const maxRunning = 16;
/** Ended ones that can still be asked for. */
const maxKept = 50;

const lookEveryMs = 250;

export class Commands implements AsyncDisposable {
  readonly #journal: string;
  readonly #log: Logger;
  readonly #owners = new Map<string, OwnedCommands>();
  #looking: NodeJS.Timeout | null = null;

  constructor(journal: string, log: Logger) {
    this.#journal = journal;
    this.#log = log;
    this.#sweep();
  }

  /** Starts a command. @throws CommandError where it may not or can't */
  async start(spec: CommandSpec): Promise<RunningCommand> {
    const own = this.#commandsOf(spec.owner);
    if ([...own.commands.values()].filter(({ isRunning }) => isRunning).length >= maxRunning)
      throw new CommandError(`${maxRunning} commands are running already: stop one with process_stop`);
    const id = `p${++own.next}`;
    const { max_processes: processes, max_memory_mb } = spec.place;
    const network = networkOf(spec.place);
    const { command, env, serve, close } = await this.#commandLine(spec, own);
    const running = await RunningCommand.start({
      id,
      text: spec.command,
      command,
      env: { ...commandEnvironment(process.env, spec.place.is_walled ? network : null), ...env },
      cwd: spec.cwd,
      outputPath: join(own.folder, "output", `${id}.txt`),
      maxOutputBytes,
      limits: { processes, memoryBytes: max_memory_mb * mebibyte },
      ...(spec.onText && { onText: spec.onText }),
      ...(serve && { onChannel: (channel) => void serve(channel) }),
    });
    own.commands.set(id, running);
    this.#note(own);
    void running.ended.then(() => {
      close();
      this.#note(own);
    });
    this.#forgetOld(own);
    return running;
  }

  /** Notes whether any of them is running, for whoever waits for that. */
  #note({ owner, commands }: OwnedCommands): void {
    const areRunning = [...commands.values()].some(({ isRunning }) => isRunning);
    try {
      noteCommands(this.#journal, owner.key, areRunning);
    } catch (error) {
      this.#log.warn({ owner: owner.key, err: error }, "can't note which commands are running");
    }
  }

  /** Tells its owner when it ends, unless it was stopped. */
  tellEnd(owner: Owner, running: RunningCommand): void {
    void running.ended.then(async (code) => {
      if (running.stopped === stopRequested || !this.#owners.has(owner.key)) return;
      const why = running.stopped === null ? "" : `: ${running.stopped}`;
      const text = `The background process ${running.id} (${running.text.slice(0, 200)}) has ended with exit code ${code}${why}. process_output shows what it printed.`;
      await owner.tellEnd(running.id, text).catch((error: unknown) => {
        this.#log.warn({ owner: owner.key, err: error }, "nobody was told that a process ended");
      });
    });
  }

  list(owner: Owner): RunningCommand[] {
    return [...(this.#owners.get(owner.key)?.commands.values() ?? [])];
  }

  /** @throws CommandError when it has none of that id */
  find(owner: Owner, id: string): RunningCommand {
    const found = this.#owners.get(owner.key)?.commands.get(id);
    if (found) return found;
    throw new CommandError(
      `no process "${id.slice(0, 40)}": process_list names those that there are. They end with their run, and when the tools' program is started again`,
    );
  }

  /** The folder of what an owner's commands have printed, if there is one. */
  outputsOf(key: string): string | null {
    const own = this.#owners.get(key);
    return own ? join(own.folder, "output") : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#looking) clearInterval(this.#looking);
    await Promise.all([...this.#owners.values()].map((own) => this.#end(own)));
  }

  /** @throws CommandError for a key that isn't there */
  async #maskFor(own: OwnedCommands, network: readonly string[]): Promise<KeyMask | null> {
    const keys = keysOf(this.#journal, network);
    if (keys.length === 0) return null;
    own.mask ??= await KeyMask.create();
    own.mask.use(keys);
    return own.mask;
  }

  async #commandLine({ place, folder, cwd, command }: CommandSpec, own: OwnedCommands): Promise<Sandboxed> {
    const limits = { processes: place.max_processes, openFiles: maxOpenFiles, fileBytes: maxFileBytes };
    if (!place.is_walled) {
      const { namespace } = await findIsolation();
      return { command: openCommand(openShell(), namespace, limits, command), env: {}, serve: null, close: () => {} };
    }
    const { wall, ...found } = await sandboxHere();
    if (!wall)
      throw new CommandError(
        `there is no sandbox any more (${found.why}), and this run needs one: ${sandboxRemedy(found)}`,
      );
    const network = networkOf(place);
    const walls = wallsOfRun(this.#journal, folder, cwd, join(own.folder, "tmp"));
    return inSandbox({
      wall,
      walls: { ...walls, shown: [...walls.shown, ...(place.readable ?? []), join(own.folder, "output")] },
      limits,
      own: own.folder,
      rules: network.length > 0 ? networkRules(network) : null,
      mask: await this.#maskFor(own, network),
      command: shellCommand(wall.shell, command),
    });
  }

  #commandsOf(owner: Owner): OwnedCommands {
    const known = this.#owners.get(owner.key);
    if (known) return known;
    const folder = realpathSync(mkdtempSync(join(tmpdir(), this.#prefix)));
    mkdirSync(join(folder, "output"), { mode: 0o700 });
    mkdirSync(join(folder, "tmp", "home"), { recursive: true });
    chmodSync(join(folder, "tmp"), 0o1777);
    const own: OwnedCommands = { owner, folder, commands: new Map(), next: 0, mask: null };
    this.#owners.set(owner.key, own);
    this.#looking ??= setInterval(() => void this.#endAbandoned(), lookEveryMs).unref();
    return own;
  }

  /** Ends what belongs to runs and conversations that are over. */
  async #endAbandoned(): Promise<void> {
    for (const own of this.#owners.values())
      try {
        if (await own.owner.isLive()) continue;
        await this.#end(own);
      } catch (error) {
        this.#log.warn({ owner: own.owner.key, err: error }, "can't tell whether a run goes on");
      }
    if (this.#owners.size > 0 || !this.#looking) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }

  async #end(own: OwnedCommands): Promise<void> {
    this.#owners.delete(own.owner.key);
    for (const command of own.commands.values()) command.stop(stopRequested);
    await Promise.all([...own.commands.values()].map(({ ended }) => ended));
    this.#remove(own.folder);
  }

  #forgetOld(own: OwnedCommands): void {
    const over = [...own.commands.values()].filter(({ isRunning }) => !isRunning);
    for (const old of over.slice(0, Math.max(0, over.length - maxKept))) {
      own.commands.delete(old.id);
      rmSync(old.output.path, { force: true });
    }
  }

  /** Removes what a killed one left: its commands have ended with it. */
  #sweep(): void {
    forgetCommands(this.#journal);
    for (const name of readdirSync(tmpdir())) if (name.startsWith(this.#prefix)) this.#remove(join(tmpdir(), name));
  }

  /** Removes a folder that commands wrote to. One that they closed against that stays: it keeps no other run from its tools. */
  #remove(folder: string): void {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      this.#log.warn({ folder, err: error }, "what a run's commands left can't be removed: remove it by hand");
    }
  }

  get #prefix(): string {
    return `cortex-exec-${createHash("sha256").update(this.#journal).digest("hex").slice(0, 12)}-`;
  }
}

/** The hosts that a walled command may reach; around others there is nothing that could hold them to any. */
const networkOf = ({ is_walled, network = [] }: RunPlace) => (is_walled ? network : []);

/** @throws CommandError for a key that isn't there */
function keysOf(journal: string, network: readonly string[]) {
  try {
    return sandboxKeys(journal, process.env, network);
  } catch (error) {
    throw error instanceof ChannelSecretError ? new CommandError(error.message) : error;
  }
}

const openShell = () => findProgram("bash", ["/bin", "/usr/bin"]) ?? "/bin/sh";

/** Why a command was stopped when somebody wanted its end, so nobody needs to be told. */
export const stopRequested = "it was stopped";

/** The command line around a shell command of an agent's: the wall, the limits that the kernel holds it to, its end with ours. */
import { type Bubblewrap, bubblewrapArguments } from "./walls/bubblewrap.ts";
import type { Walls } from "./walls/walls.ts";
import { forwarderCommand, forwarderTasks } from "./network/forwarder.ts";

export type CommandLimits = {
  processes: number;
  openFiles: number;
  /** Bytes of one file. */
  fileBytes: number;
};

/**
 * The first process of a command, leader of its group. Descriptor 3 is a line to whoever started it: when that ends, which
 * `kill -9` ends, too, so does the whole group. Descriptor 4 is the filter of system calls, if there is one.
 */
const leader = `
if [ -n "$1" ]; then exec 4<"$1"; fi
shift
(read -r _ <&3; kill -s KILL -- "-$$") </dev/null >/dev/null 2>&1 &
exec 3<&- "$@"`;

/** Holds root to a number of processes, which the usual limit doesn't: no process id of this namespace is above it. */
const bounder = `echo "$1" >/proc/sys/kernel/pid_max && shift && exec "$@"`;

/** After a wrap-around no id below this is given again. */
const reservedIds = 300;

/** In the shell of the command. A limit that is lower already stays. */
const limiter = `
{ ulimit -c 0; ulimit -n "$1"; ulimit -u "$2"; ulimit -f "$3"; } 2>/dev/null
shift 3
exec "$@"`;

export type SandboxedCommand = {
  wall: Bubblewrap;
  walls: Walls;
  limits: CommandLimits;
  /** File with the filter of system calls, which the command can't write. */
  filter: string | null;
  /**
   * The hosts that it may reach, as settings have them: then descriptor 5 is the way out, which `serveNetwork` serves, and
   * by which signals come in. Null: none, nor signals.
   */
  network: readonly string[] | null;
  /** The program and its arguments. */
  command: readonly string[];
};

/** A command in a sandbox. */
export function sandboxedCommand({ wall, walls, limits, filter, network, command }: SandboxedCommand): string[] {
  const held = network === null ? limits : { ...limits, processes: limits.processes + forwarderTasks };
  const namespace = wall.countsTasks ? [] : boundedNamespace(wall.boundsIds, held);
  const bubblewrap = [
    wall.program,
    ...bubblewrapArguments(walls, wall),
    ...(filter === null ? [] : ["--seccomp", "4"]),
  ];
  const inside = limited(wall.shell, held, command);
  const whole = network === null ? inside : forwarderCommand(process.execPath, network, inside);
  return ["/bin/sh", "-c", leader, "sh", filter ?? "", ...namespace, ...bubblewrap, "--", ...whole];
}

/** A command without one. @param namespace what makes a PID namespace, where there is one: whatever it starts ends with it */
export function openCommand(shell: string, namespace: string[], limits: CommandLimits, command: string): string[] {
  return limitedCommand(shell, namespace, limits, shellCommand(shell, command));
}

/** A program held to limits, in a group that ends with ours. */
export function limitedCommand(
  shell: string,
  namespace: string[],
  limits: CommandLimits,
  command: readonly string[],
): string[] {
  return ["/bin/sh", "-c", leader, "sh", "", ...namespace, ...limited(shell, limits, command)];
}

/** A text, as typed at a shell. */
export const shellCommand = (shell: string, text: string): string[] => [...plain(shell), "-c", text];

function boundedNamespace(unshare: string | null, { processes }: CommandLimits): string[] {
  if (unshare === null) return [];
  const own = ["--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"];
  return [unshare, ...own, "/bin/sh", "-c", bounder, "sh", String(processes + reservedIds)];
}

function limited(shell: string, { openFiles, processes, fileBytes }: CommandLimits, command: readonly string[]) {
  const blocks = Math.floor(fileBytes / (isBash(shell) ? 1024 : 512));
  const limits = [openFiles, processes, blocks].map(String);
  return [...plain(shell), "-c", limiter, shell, ...limits, ...command];
}

const isBash = (shell: string) => shell.endsWith("bash");

/** Bash takes a socket as its stdin for a login from elsewhere, and would read its settings. */
const plain = (shell: string) => (isBash(shell) ? [shell, "--norc"] : [shell]);

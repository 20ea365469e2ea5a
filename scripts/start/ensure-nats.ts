/** Makes sure that there is a nats-server: found, else installed with what the system has, else says what to type. */
import { execa, ExecaError } from "execa";
import { findNatsServer, findProgram, ownPrograms } from "../../proc/os/find-program.ts";
import { installRelease, pinnedRelease, type Release } from "./nats-release.ts";

type PackageManager = {
  program: string;
  needsRoot: boolean;
  /** Tried in order until nats-server is there: each a list of commands. */
  attempts: string[][][];
  byHand: string;
};

// Debian would start a service on port 4222 that nobody asked for. These two tell systemd and System V init not to start
// it now; it stays Debian's own, and `cortex up` takes another port where 4222 is busy.
const aptEnvironment = ["env", "DEBIAN_FRONTEND=noninteractive", "SYSTEMD_OFFLINE=1", "RUNLEVEL=1"];
const apt = [...aptEnvironment, "apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=120"];
const aptInstall = [...apt, "install", "--no-install-recommends", "nats-server"];

const packageManagers: PackageManager[] = [
  {
    program: "apt-get",
    needsRoot: true,
    attempts: [[aptInstall], [[...apt, "update"], aptInstall]],
    byHand: "sudo apt-get update && sudo apt-get install nats-server",
  },
  {
    program: "brew",
    needsRoot: false,
    attempts: [[["brew", "install", "nats-server"]]],
    byHand: "brew install nats-server",
  },
  {
    program: "apk",
    needsRoot: true,
    attempts: [[["apk", "add", "nats-server"]]],
    byHand: "sudo apk add nats-server",
  },
  {
    program: "dnf",
    needsRoot: true,
    attempts: [[["dnf", "install", "-y", "nats-server"]]],
    byHand: "sudo dnf install nats-server",
  },
  {
    program: "pacman",
    needsRoot: true,
    attempts: [[["pacman", "-S", "--noconfirm", "--needed", "nats-server"]]],
    byHand: "sudo pacman -S nats-server",
  },
];

const commandTimeoutMs = 300_000;

export type EnsureOptions = { quiet?: boolean; find?: () => string | null; release?: Release; folder?: string };

/**
 * The path of nats-server, which is installed if need be.
 * @throws Error that says what was tried, and what to type
 */
export async function ensureNatsServer(options: EnsureOptions = {}): Promise<string> {
  const { quiet = false, find = findNatsServer, release = pinnedRelease, folder } = options;
  const say = (line: string) => quiet || process.stderr.write(`${line}\n`);
  const found = find();
  if (found) return found;
  const present = packageManagers.filter(({ program }) => findProgram(program));
  const tried: string[] = [];
  for (const manager of present) {
    say(`installing nats-server with ${manager.program} …`);
    const failure = await installWith(manager, find);
    const path = find();
    if (path) return path;
    tried.push(`${manager.program}: ${failure}`);
  }
  try {
    say(`installing nats-server ${release.version} from its official release …`);
    return await installRelease(folder ?? ownPrograms(), release);
  } catch (error) {
    tried.push(`official release: ${messageOf(error)}`);
  }
  throw new Error(
    `nats-server is missing and could not be installed\n  ${tried.join("\n  ")}\ntype: ${installCommand()}`,
  );
}

/** Why it did not work; meaningless when nats-server is there. */
async function installWith(manager: PackageManager, find: () => string | null): Promise<string> {
  const prefix = manager.needsRoot ? await rootPrefix() : [];
  if (prefix === null) return "needs root, and sudo asks for a password";
  let failure = "it offers no nats-server";
  for (const attempt of manager.attempts) {
    try {
      for (const command of attempt) await run([...prefix, ...command]);
    } catch (error) {
      failure = messageOf(error);
    }
    if (find()) break;
  }
  return failure;
}

/** Finds the words before a command that root must run; null when this user can't. */
async function rootPrefix(): Promise<string[] | null> {
  if (process.getuid?.() === 0) return [];
  const { failed } = await execa("sudo", ["-n", "true"], { reject: false, stdin: "ignore" });
  return failed ? null : ["sudo", "-n"];
}

async function run([program = "", ...args]: string[]): Promise<void> {
  await execa(program, args, { stdin: "ignore", timeout: commandTimeoutMs });
}

function messageOf(error: unknown): string {
  if (error instanceof ExecaError) return String(error.stderr).trim().split("\n").at(-1) || error.shortMessage;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${messageOf(error.cause)}` : error.message;
}

/** Names the command that installs nats-server by hand. */
export function installCommand(): string {
  const manager = packageManagers.find(({ program }) => findProgram(program));
  return manager?.byHand ?? "put nats-server on the PATH: https://github.com/nats-io/nats-server/releases";
}

if (import.meta.main) {
  try {
    await ensureNatsServer();
  } catch (error) {
    process.stderr.write(`error: ${messageOf(error)}\n`);
    process.exitCode = 2;
  }
}

/** The sandbox that this machine can make, found by really trying one. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../files/errors/error-message.ts";
import { askProgram, type ProgramAnswer } from "../proc/os/ask-program.ts";
import { findProgram } from "../proc/os/find-program.ts";
import { CommandProcess } from "../proc/programs/command-process.ts";
import type { Bubblewrap } from "./walls/bubblewrap.ts";
import { shellCommand } from "./sandboxed-command.ts";
import { inSandbox, type Wall } from "./in-sandbox.ts";
import type { Seatbelt } from "./walls/seatbelt.ts";

export type SandboxLevel = "bubblewrap" | "seatbelt" | "none";

export type SandboxFinding = {
  level: SandboxLevel;
  /** The missing programs, by the names that packages have. */
  missing: string[];
  /** Why there is none; empty where there is one. */
  why: string;
  /** Whether a try took too long: then nobody knows, and nothing has to be installed. */
  isLate: boolean;
  wall: Wall | null;
};

/** How long a try may take, and, where it wasn't done by then, the next one: on a busy machine a sandbox takes its time. In ms. */
const patience = [20_000, 60_000] as const;

/** One that wasn't had is tried again so much later: somebody may have installed what was missing. In ms. */
const againMs = 5_000;

let known: { finding: Promise<SandboxFinding>; at: number } | null = null;

/** The finding of this process: tried at the first call, and again while there is none. */
export async function sandboxHere(): Promise<SandboxFinding> {
  const last = known;
  if (last && ((await last.finding).level !== "none" || performance.now() - last.at < againMs)) return last.finding;
  if (known === last) known = { finding: findSandbox(), at: performance.now() };
  return await (known ?? { finding: findSandbox() }).finding;
}

/** Tries, and again with more time where a try wasn't done in its time. Never rejects. */
export async function findSandbox(limits: readonly number[] = patience): Promise<SandboxFinding> {
  const { platform } = process;
  if (platform !== "linux" && platform !== "darwin") return none([], `this system (${platform}) has no sandbox`);
  const program = findProgram("bwrap");
  if (platform === "linux" && program === null) return none(["bubblewrap"], "bubblewrap isn't installed");
  for (const ms of limits)
    try {
      return await (platform === "linux" && program !== null ? tryBubblewrap(program, ms) : trySeatbelt(ms));
    } catch (error) {
      if (!(error instanceof LateError)) return none([], messageOf(error));
    }
  const seconds = limits.map((ms) => ms / 1000).join(" and ");
  return { ...none([], `trying a sandbox took longer than ${seconds} s: this machine is too busy`), isLate: true };
}

/** A trial that didn't end in its time, and says nothing of this machine. */
class LateError extends Error {
  override name = "LateError";
}

/** @throws LateError when any of its programs takes longer than `ms` */
async function tryBubblewrap(program: string, ms: number): Promise<SandboxFinding> {
  const help = await askInTime(program, ["--help"], ms);
  const text = help.stdout + help.stderr;
  const isRoot = process.getuid?.() === 0;
  const wall: Bubblewrap = {
    kind: "bubblewrap",
    program,
    shell: findProgram("bash", ["/bin", "/usr/bin"]) ?? "/bin/sh",
    disablesUserns: text.includes("--disable-userns"),
    hasSize: text.includes("--size"),
    countsTasks: !isRoot,
    boundsIds: isRoot ? await idBounder(ms) : null,
  };
  const problem = await whyNot(wall, ms);
  if (problem === null) return found(wall);
  // Set-uid ones refuse it.
  const simple = { ...wall, disablesUserns: false };
  if (wall.disablesUserns && (await whyNot(simple, ms)) === null) return found(simple);
  return none([], `bubblewrap can't make a sandbox here: ${problem}`);
}

/** @throws LateError when it takes longer than `ms` */
async function trySeatbelt(ms: number): Promise<SandboxFinding> {
  const wall: Seatbelt = { kind: "seatbelt", shell: findProgram("bash", ["/bin", "/usr/bin"]) ?? "/bin/sh" };
  const problem = await whyNot(wall, ms);
  return problem === null ? found(wall) : none([], `sandbox-exec can't make a sandbox here: ${problem}`);
}

const found = (wall: Wall): SandboxFinding => ({
  level: wall.kind,
  missing: [],
  why: "",
  isLate: false,
  wall,
});

const none = (missing: string[], why: string): SandboxFinding => ({
  level: "none",
  missing,
  why,
  isLate: false,
  wall: null,
});

/** The finding as `--json` shows it; `remedy`, the command that brings one, where there is none. */
export type ShownSandbox = Pick<SandboxFinding, "level" | "missing"> & { remedy?: string };

export const shownSandbox = (finding: SandboxFinding): ShownSandbox => ({
  level: finding.level,
  missing: finding.missing,
  ...(finding.level === "none" && { remedy: sandboxRemedy(finding) }),
});

/** Advises what to do about a missing sandbox. */
export function sandboxRemedy({ missing, why, isLate }: Pick<SandboxFinding, "missing" | "why" | "isLate">): string {
  if (isLate) return "try again when it has less to do";
  if (process.platform !== "linux")
    return 'run cortex on Linux or macOS, or allow commands without one ("sandbox": "off")';
  if (missing.length > 0) return installCommand(missing);
  if (/namespace|uid map|permitted|denied/i.test(why))
    return "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 kernel.unprivileged_userns_clone=1, or in a container: allow clone, unshare and mount (seccomp, AppArmor unconfined)";
  return installCommand(["bubblewrap"]);
}

function installCommand(names: readonly string[]): string {
  const managers = { "apt-get": "apt-get install -y", dnf: "dnf install -y", pacman: "pacman -S", apk: "apk add" };
  const found = Object.entries(managers).find(([program]) => findProgram(program));
  return `sudo ${found?.[1] ?? managers["apt-get"]} ${names.join(" ")}`;
}

/** Tries one: that it works, and that it holds. @throws LateError when it takes longer than `ms` */
async function whyNot(wall: Wall, ms: number): Promise<string | null> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "cortex-sandbox-")));
  try {
    const [folder, scratch, own, other] = ["folder", "scratch", "own", "other"].map((name) => join(root, name)) as [
      string,
      string,
      string,
      string,
    ];
    for (const path of [folder, scratch, own, other]) await mkdir(path);
    await writeFile(join(other, "secret"), "secret");
    const walls = { folder, scratch, hidden: [other], shown: [] };
    const limits = { processes: 256, openFiles: 256, fileBytes: 1024 * 1024 };
    const isShut = `! cat "${other}/secret" 2>/dev/null && ! (echo x >"${other}/x") 2>/dev/null`;
    const command = shellCommand(wall.shell, `echo inside >proof && ${isShut} && echo inside`);
    const sandboxed = await inSandbox({ wall, walls, limits, own, rules: null, mask: null, command });
    const said = await tryOut(sandboxed.command, sandboxed.env, ms);
    return said.stdout === "inside\n" ? null : lastLine(said.stderr) || `it ended with code ${said.code}`;
  } catch (error) {
    if (error instanceof LateError) throw error;
    return messageOf(error);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/**
 * Finds the file that bounds root's process ids, if this kernel has a number for each namespace: in an older one it is
 * the machine's.
 */
async function idBounder(ms: number): Promise<string | null> {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const unshare = findProgram("unshare");
  if (unshare === null || major < 6 || (major === 6 && minor < 14)) return null;
  const own = ["--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"];
  const set = "echo 700 >/proc/sys/kernel/pid_max && cat /proc/sys/kernel/pid_max";
  const answer = await askInTime(unshare, [...own, "/bin/sh", "-c", set], ms);
  return answer.stdout === "700\n" ? unshare : null;
}

/** @throws LateError when it takes longer than `ms` */
async function askInTime(program: string, args: string[], ms: number): Promise<ProgramAnswer> {
  const answer = await askProgram(program, args, ms);
  if (answer.error?.killed) throw new LateError();
  return answer;
}

/** @throws LateError when it takes longer than `ms` */
async function tryOut(
  command: string[],
  env: Record<string, string>,
  ms: number,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { stdout: "", stderr: "" };
  const onOutput = (from: "stdout" | "stderr", bytes: Buffer) => {
    said[from] = (said[from] + bytes.toString()).slice(-2_000);
  };
  const process = await CommandProcess.start({ command, env: { PATH: searchPath(), ...env }, cwd: "/", onOutput });
  process.endInput();
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    process.kill();
  }, ms);
  const code = await process.ended;
  clearTimeout(late);
  if (isLate) throw new LateError();
  return { code, ...said };
}

const searchPath = () => process.env["PATH"] ?? "/usr/bin:/bin";

const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";

/** A service manager as data: where its file stands, what it is told, and how it is asked. `service.ts` among the commands does it. */
import { execa } from "execa";

export type Manager = {
  name: "systemd" | "launchd";
  /** Where the file of the service stands, and what stands in it. */
  file: string;
  text: string;
  /** Whether the files say that it is started with the system; what the manager itself says wins. */
  isEnabledByFiles: () => boolean;
  /** @throws Error when the manager doesn't answer */
  ask: () => Promise<ManagerAnswer>;
  /** The commands to type, in this order. */
  takeUp: { load: string[][]; start: string[]; restart: string[] };
  takeDown: { stop: string[][]; forget: string[][] };
  /** For when the manager doesn't answer. */
  remedy: string;
  /** The steps that are left to the user. */
  advice: () => Promise<string[]>;
};

export type ManagerAnswer = { isEnabled: boolean; isActive: boolean; state: string; pid: number | null };

/** The output of a program of the system. @throws Error with what it said on stderr */
export async function outputOf([program = "", ...args]: string[]): Promise<string> {
  const { stdout, stderr, failed, exitCode, code } = await execa(program, args, {
    reject: false,
    stdin: "ignore",
    timeout: 150_000,
  });
  if (!failed) return stdout;
  const why = stderr.trim() || (code === "ENOENT" ? "it is not on the PATH" : `exit code ${exitCode ?? "unknown"}`);
  throw new Error(`${[program, ...args].join(" ")}: ${why}`);
}

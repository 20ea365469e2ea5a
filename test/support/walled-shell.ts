/** Commands in a real sandbox, one after the other, as a user of this machine. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../proc/os/find-program.ts";
import type { WalledAnswer, WalledCommand, WalledOrder } from "../fixtures/sandbox/walled.ts";

const fixture = fileURLToPath(new URL("../fixtures/sandbox/walled.ts", import.meta.url));

const own = process.getuid?.() ?? 0;

/** An ordinary user, whom every system has. */
export const nobody = 65_534;

/** This user, and an ordinary one where this is root. */
export const users = own === 0 && findProgram("setpriv") ? [0, nobody] : [own];

export class WalledShell implements Disposable {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #uid: number;

  /** @param env beside PATH. TMPDIR is where other programs have their files, which are hidden */
  constructor(uid: number, order: WalledOrder, env: Record<string, string>) {
    this.#uid = uid;
    const drop = ["setpriv", "--reuid", String(uid), "--regid", String(uid), "--clear-groups"];
    const argv = [process.execPath, fixture, JSON.stringify(order)];
    const [program = "", ...args] = uid === own ? argv : [...drop, ...argv];
    this.#child = spawn(program, args, {
      env: { PATH: process.env["PATH"], ...env },
      cwd: "/",
      stdio: ["pipe", "pipe", "inherit"],
    });
    if (!this.#child.stdout) throw new Error("no stdout");
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Runs a command and returns what it printed, and its code. */
  async run(command: WalledCommand): Promise<WalledAnswer> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error("the sandbox's process has ended");
    const answer = JSON.parse(value) as WalledAnswer;
    if (answer.uid !== this.#uid) throw new Error(`it ran as ${answer.uid}`);
    return answer;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

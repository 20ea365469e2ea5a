/** A program at a real terminal, for one test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { StringDecoder } from "node:string_decoder";
import { askUntil } from "../ask-until.ts";
import { patienceMs } from "../patience.ts";
import { VtScreen } from "./vt-screen.ts";

const pty = fileURLToPath(new URL("../../fixtures/terminal.py", import.meta.url));
const rows = 24;

export class Terminal implements AsyncDisposable {
  readonly screen: VtScreen;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(command: string[], env: NodeJS.ProcessEnv, columns = 80) {
    this.screen = new VtScreen(columns);
    const stdio = ["pipe", "pipe", "inherit"] as const;
    this.#child = spawn("python3", [pty, String(columns), String(rows), ...command], { env, stdio: [...stdio] });
    const decoder = new StringDecoder("utf8");
    this.#child.stdout?.on("data", (data: Buffer) => this.screen.write(decoder.write(data)));
    this.#exited = once(this.#child, "close").then(([code]) => code as number | null);
  }

  get exited(): Promise<number | null> {
    return this.#exited;
  }

  type(keys: string): void {
    this.#tell({ keys });
  }

  /** As a terminal with bracketed paste does it. */
  paste(text: string): void {
    this.type(`\u001b[200~${text.replaceAll("\n", "\r")}\u001b[201~`);
  }

  /** Breaks its lines anew, and tells the program. */
  resize(columns: number): void {
    this.screen.resize(columns);
    this.#tell({ columns });
  }

  async until(isSo: (text: string) => boolean, what: string): Promise<void> {
    await askUntil(
      () => isSo(this.screen.text),
      () => `${what}\n${this.screen.text}`,
      patienceMs,
    );
  }

  close(): void {
    this.#child.stdin?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#exited;
  }

  #tell(told: object): void {
    this.#child.stdin?.write(`${JSON.stringify(told)}\n`);
  }
}

/** Answers of whoever adds a channel: asked for in a terminal, where a secret isn't shown, else read from stdin, one a line. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CommandError } from "../command/command.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";

export class Answers implements Disposable {
  readonly #lines: AsyncIterator<string>;
  readonly #close: () => void;
  #isShown = true;

  constructor() {
    const isTerminal = process.stdin.isTTY;
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.#isShown) process.stderr.write(chunk as Buffer);
        done();
      },
    });
    const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
    lines.on("SIGINT", () => process.exit(exitCodes.cancelled));
    this.#lines = lines[Symbol.asyncIterator]();
    this.#close = () => lines.close();
  }

  /** @throws CommandError where there is no further one */
  async next(question: string, isSecret: boolean): Promise<string> {
    process.stderr.write(`${question}: `);
    this.#isShown = !isSecret;
    const { value, done } = await this.#lines.next();
    this.#isShown = true;
    if (isSecret || !process.stdin.isTTY) process.stderr.write("\n");
    if (done)
      throw new CommandError("usage", `no answer to: ${question}`, "one answer a line, on stdin", exitCodes.usage);
    return value.trim();
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

/** Watches how much a run's process has printed. It stands on the disk until the run has ended, whether or not it was read yet. */
import { statSync } from "node:fs";
import { join } from "node:path";

const lookEveryMs = 1000;

export class OutputCap implements Disposable {
  readonly #timer: NodeJS.Timeout;

  /**
   * @param folder of the attempt
   * @param onExceeded hears it once
   */
  constructor(folder: string, maxBytes: number, onExceeded: (error: string) => void) {
    this.#timer = setInterval(() => {
      if (printedBytes(folder) <= maxBytes) return;
      clearInterval(this.#timer);
      onExceeded(outputError(maxBytes));
    }, lookEveryMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Why a run that printed too much was stopped. */
export const outputError = (maxBytes: number) => `printed more than max_output_bytes, ${maxBytes} bytes`;

function printedBytes(folder: string): number {
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf("out") + sizeOf("err");
}

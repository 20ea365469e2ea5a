/** Bounds on what clients say to runs: nobody can fill cortex's memory, or a run's folder, with inputs that nobody reads. Pure. */
import type { MachineInput } from "./run-state.ts";

/**
 * The bounds of inputs to one run: of those before it takes any, of those that wait to be written into its file, and of
 * all that it ever gets.
 */
export const inputBounds = {
  waiting: { inputs: 256, bytes: 4 * 1024 * 1024 },
  whole: { inputs: 2_000, bytes: 64 * 1024 * 1024 },
} as const;

export function bytesOfInput(input: MachineInput): number {
  if (input.type !== "input") return 0;
  const { text, attachments = [] } = input;
  return Buffer.byteLength(text) + attachments.reduce((sum, { data = "" }) => sum + referenceBytes + data.length, 0);
}

/** About what a file that is named takes. */
const referenceBytes = 512;

/** Adds an input to those that wait, if there is room. A stop has always room, and says the same a second time. */
export function addInput(waiting: MachineInput[], input: MachineInput): boolean {
  if (input.type !== "input") {
    if (!waiting.some(({ type }) => type === input.type)) waiting.push(input);
    return true;
  }
  const bytes = waiting.reduce((sum, other) => sum + bytesOfInput(other), bytesOfInput(input));
  if (waiting.length >= inputBounds.waiting.inputs || bytes > inputBounds.waiting.bytes) return false;
  waiting.push(input);
  return true;
}

/** Counts what is said to a run that is at work. */
export class InputCount {
  #waiting = { inputs: 0, bytes: 0 };
  #whole = { inputs: 0, bytes: 0 };
  /** How many were refused. */
  refused = 0;

  /** Whether there is room for one more; then it counts. */
  begin(input: MachineInput): boolean {
    const bytes = bytesOfInput(input);
    if (!fits(this.#waiting, bytes, inputBounds.waiting) || !fits(this.#whole, bytes, inputBounds.whole)) {
      this.refused++;
      return false;
    }
    for (const count of [this.#waiting, this.#whole]) {
      count.inputs++;
      count.bytes += bytes;
    }
    return true;
  }

  /** One that waited is in the run's file. */
  end(input: MachineInput): void {
    this.#waiting.inputs--;
    this.#waiting.bytes -= bytesOfInput(input);
  }
}

type Count = { inputs: number; bytes: number };

const fits = (count: Count, bytes: number, most: Readonly<Count>) =>
  count.inputs < most.inputs && count.bytes + bytes <= most.bytes;

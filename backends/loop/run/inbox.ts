/** Inputs to a running run, which wait here until the next model call. */
import type { FilePart } from "../../../protocol/files/attachment.ts";

export type HeardInput = { text: string; id?: string | undefined; parts?: FilePart[] | undefined };

export class Inbox {
  #said: HeardInput[] = [];

  push(said: HeardInput): void {
    this.#said.push(said);
  }

  get isEmpty(): boolean {
    return this.#said.length === 0;
  }

  /** Takes everything, oldest first. */
  takeInputs(): HeardInput[] {
    const said = this.#said;
    this.#said = [];
    return said;
  }
}

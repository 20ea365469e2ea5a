/** Inputs to a running run, which wait here until the next model call. */
import type { FilePart } from "../../protocol/files/attachment.ts";

export type Said = { text: string; parts?: FilePart[] | undefined };

export class Inbox {
  #said: Said[] = [];

  push(said: Said): void {
    this.#said.push(said);
  }

  get isEmpty(): boolean {
    return this.#said.length === 0;
  }

  /** Takes everything, oldest first. */
  take(): Said[] {
    const said = this.#said;
    this.#said = [];
    return said;
  }
}

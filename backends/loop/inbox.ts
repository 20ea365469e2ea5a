/** Inputs to a running run, which wait here until the next model call. */
export class Inbox {
  #texts: string[] = [];

  push(text: string): void {
    this.#texts.push(text);
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** Takes everything, oldest first. */
  take(): string[] {
    const texts = this.#texts;
    this.#texts = [];
    return texts;
  }
}

/** The ids of what was said to a run: each is told once, and its model says when it has heard it. Pure. */
import type { EventBody } from "../../protocol/runs/event.ts";

export class InputIds {
  readonly #told = new Set<string>();
  readonly #taken = new Set<string>();

  /** Takes an event of the run's file. */
  add({ event, id }: EventBody): void {
    if (typeof id !== "string") return;
    if (event === "input") this.#told.add(id);
    if (event === "input_taken" && this.#told.has(id)) this.#taken.add(id);
  }

  /** Whether it was told already. */
  has(id: string): boolean {
    return this.#told.has(id);
  }

  /** Inputs that no model has said to have heard. */
  get untaken(): string[] {
    return [...this.#told].filter((id) => !this.#taken.has(id));
  }
}

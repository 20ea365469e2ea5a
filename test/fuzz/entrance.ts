/** An entrance: a place where text from outside comes in, and what is done there in one case of the fuzzer. */
import type { Engine } from "../simulation/engine.ts";
import type { FuzzSystem } from "./fuzz-system.ts";

/** The outcome of a case, for the table: taken as something valid, or refused in words. */
export type Reaction = "taken" | "refused";

export type Entrance = {
  name: string;
  /** Whether what is attacked holds for all programs, so that nothing else may go on meanwhile. */
  isAlone?: boolean;
  /**
   * Brings one hostile thing in.
   * @throws Error when the system reacts in a way that it never may: silence, a fault of its own, a run without an end
   */
  attack: (system: FuzzSystem, engine: Engine) => Promise<Reaction>;
};

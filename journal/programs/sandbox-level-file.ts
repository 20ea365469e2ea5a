/** Where the level of this machine's sandbox is kept: see sandbox/kept-level.ts. */
import { runtime } from "../config/paths.ts";

export const sandboxLevelFile = (journal: string) => runtime(journal, "sandbox.json");

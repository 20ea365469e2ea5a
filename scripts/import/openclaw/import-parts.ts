/** The pieces of an import's plan. */
import type { OpenclawIdentity } from "./identity.ts";
import type { Section } from "./instruction.ts";
import type { SourceFolder } from "./source-folder.ts";

/** A file of the journal. Those of one `unit` are written all or not at all. */
export type PlannedFile = {
  unit: string;
  what: "persona" | "memory" | "skill" | "schedule";
  from: string;
  /** Relative to the journal. */
  to: string;
  text: string;
};

export type ImportParts = {
  name: string;
  identity: OpenclawIdentity;
  /** The sections that the agent is told at every time. */
  sections: Section[];
  user: Section[];
  /** The core memories of MEMORY.md. */
  core: Section[];
  heartbeat: Section | null;
  /** For a workspace whose page is empty. */
  page: string | null;
  notes: string[];
  source: SourceFolder;
};

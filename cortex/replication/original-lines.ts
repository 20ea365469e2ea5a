/** Fetches lines of a run from the file of the worker that has it: lines that were cut for the bus, or that the bus has lost. */
import type { Ledger } from "../../bus/claims/ledger.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { linesFrom } from "../../bus/events/run-lines.ts";
import { parseEventLine } from "../../journal/chain/event-line.ts";
import type { MirroredRun } from "../../journal/runs/mirrored-run.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Claims } from "../claims/claims.ts";
import type { CopyFiles } from "./copy-files.ts";

export type OriginalLinesDeps = {
  worker: string;
  bus: Bus;
  ledger: Ledger;
  claims: Claims;
  files: CopyFiles;
  log: Logger;
};

export class OriginalLines {
  readonly #deps: OriginalLinesDeps;

  constructor(deps: OriginalLinesDeps) {
    this.#deps = deps;
  }

  /**
   * Appends lines of the original up to `upTo` and no further: what the bus hasn't got may yet be dropped. Resolves with
   * whether they are here.
   */
  async fetch(file: MirroredRun, upTo: number, epoch: number): Promise<boolean> {
    const { bus, claims, files, log } = this.#deps;
    const { agentId } = file;
    const owner = await this.ownerOf(agentId);
    if (owner === null) return false;
    for await (const line of linesFrom(bus, { worker: owner }, agentId, file.size)) {
      if (!(await files.isCurrent(file))) return true;
      if (parseEventLine(line)?.seq !== file.lines + 1) {
        log.warn({ agent_id: agentId, owner }, "a copy differs from its original: it is made anew");
        await file.cutTo(0);
        return false;
      }
      files.append(file, line, epoch);
      if (file.lines >= upTo) return true;
    }
    return file.hasTerminal && !claims.open.has(agentId); // it has ended, and this is all of it
  }

  /** The other worker that has the file of a run, or null. */
  async ownerOf(agentId: string): Promise<string | null> {
    const { claims, ledger, worker } = this.#deps;
    const owner = claims.get(agentId)?.worker ?? (await ledger.entry(agentId))?.ended?.worker ?? null;
    return owner === worker ? null : owner;
  }
}

/** Adopts the programs that an earlier supervisor has left running, and stops those that nobody knows any more. */
import type { ProgramStatus } from "../journal/programs/supervised.ts";
import type { Logger } from "../proc/logging/log.ts";
import { identifyProcess } from "../proc/processes/identity.ts";
import { Service } from "../proc/programs/service.ts";
import { findRecorded, killOrphans } from "./programs/orphans.ts";
import type { Program } from "./programs/program.ts";
import type { SupervisedProgram } from "./supervision/supervised-program.ts";

/** Grace of a program that is no longer one of ours. */
const unknownGraceMs = 5000;

/**
 * Adopts each living process, and only then gives each life its input: the record names every living process at any moment.
 * @param whyUnusable why a living process can't go on, or null; given null: none is to go on, and each is stopped politely
 * @param onAdopted called when all are adopted, before their lives go on
 */
export async function adoptPrograms(
  former: readonly ProgramStatus[],
  find: (name: string) => SupervisedProgram | undefined,
  whyUnusable: ((program: Program, former: ProgramStatus) => Promise<string | null>) | null,
  { log, onAdopted }: { log: Pick<Logger, "info" | "warn">; onAdopted: () => void },
): Promise<void> {
  const found: (() => void)[] = [];
  for (const recorded of former) {
    const identity = findRecorded(recorded);
    if (!identity) {
      if (recorded.identity && identifyProcess(recorded.identity.pid))
        log.warn(
          { program: recorded.name, pid: recorded.identity.pid },
          "not adopting a process: its pid is another's now",
        );
      await killOrphans(recorded);
      continue;
    }
    const supervised = find(recorded.name);
    if (!supervised) {
      log.info({ program: recorded.name, pid: identity.pid }, "stopping a program that is no longer one of ours");
      await Service.adopt(identity).stop("SIGTERM", unknownGraceMs);
      continue;
    }
    const unusable = whyUnusable && (await whyUnusable(supervised.program, recorded));
    supervised.adopt(identity, recorded.nonce ?? "", recorded.makeup ?? "");
    const startedAt = recorded.started_at ?? Date.now();
    found.push(() => supervised.step({ type: "found", unusable, startedAt }));
  }
  onAdopted();
  for (const giveInput of found) giveInput();
}

/** Quarantine of an agent's unreadable files, with the reason, so that the agent goes on and no start meets them again. */
import { createHash } from "node:crypto";
import { readState, stateFile, writeState } from "../../journal/agents/agent-files.ts";
import { maxFailures, type PoisonedItem } from "../../journal/quarantine/quarantine.ts";
import { isClosedFile, isMachineFault } from "../../files/errors/machine-fault.ts";
import type { AgentDescriptor, AgentState } from "../../protocol/agents/agent-files.ts";
import type { AgentDeps } from "./agent-deps.ts";

/** Whether the state is all that is known of an agent's work: without it there is nothing to go on with. */
const needsState = ({ kind }: AgentDescriptor) => kind === "subagent";

/**
 * Reads the state of an agent; one that can't be read is put away, and its conversation begins anew.
 * @throws Error for a sub-agent's, where it is closed to us, and while the disk gives nothing
 */
export async function readStateOrFresh(
  deps: AgentDeps,
  descriptor: AgentDescriptor,
  fresh: () => AgentState,
): Promise<{ state: AgentState; isFresh: boolean }> {
  const { journal, log } = deps;
  const { id } = descriptor;
  try {
    return { state: readState(journal, id), isFresh: false };
  } catch (error) {
    if (needsState(descriptor) || isClosedFile(error) || isMachineFault(error)) throw error;
    const path = stateFile(journal, id);
    await quarantineNow(deps, `${id}:state`, error, { moveFile: path });
    log.error({ agent: id, path, err: error }, "an agent's state can't be read: it was put away, and it begins anew");
    const state = fresh();
    await writeState(journal, id, state);
    return { state, isFresh: true };
  }
}

/** Puts an item away at once: it was read to its end, so the next try would end like this one. */
export async function quarantineNow(deps: AgentDeps, key: string, error: unknown, item: PoisonedItem): Promise<void> {
  for (let failure = 1; failure <= maxFailures; failure++)
    if ((await deps.quarantine.failed(key, error, item)) === "quarantined") return;
}

export const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** The port to the journal: all that the orchestration of runs reads and writes there. A simulation has a disk of its own behind it. */
import type { AttachmentRules } from "../../files/attachment-rules.ts";
import { freeBytes, hasRoom } from "../../files/free-space.ts";
import { revokeToken, revokeTokensExcept } from "../../journal/access/tokens.ts";
import { appendToEnded } from "../../journal/ended-runs/append-ended.ts";
import { quarantineRun } from "../../journal/ended-runs/quarantine-run.ts";
import { type LiveStatus, writeLiveStatus } from "../../journal/programs/live-status.ts";
import { takeAttachments } from "../../journal/attachments/take-attachments.ts";
import { claimMirrored, isMirrored } from "../../journal/runs/mirrored-run.ts";
import { findEvent, RunReader } from "../../journal/runs/read-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { dropRunFolder, makeRunFolder } from "../../journal/run-folders/run-folder.ts";
import { commitRun, RunLog } from "../../journal/runs/run-log.ts";
import { saveResult } from "../../journal/saves/saved-results.ts";
import type { AttachmentRef } from "../../protocol/files/attachment.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Durability } from "../../protocol/settings/settings.ts";
import { chainLength, parentOf } from "../plan/chain.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { agentHistory, hasHistory } from "../plan/agent-history.ts";
import { attemptHistory, chainHistory } from "../plan/history.ts";
import type { Plan } from "../plan/merge.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";
import { type ChildRecord, childOf, keepChild, keepRecord, recordOf, type RunRecord } from "../plan/run-record.ts";
import { gatewayTokenFor } from "../process/gateway-access.ts";
import { tokenFor } from "../process/run-token.ts";
import { makeWorkFolder, removeWorkFolder } from "../process/work-folder.ts";
import { hasWorktree } from "../../journal/worktrees/worktree-record.ts";
import { commandsEnded } from "../../journal/programs/running-commands.ts";
import { takeChanges } from "../worktrees/take-changes.ts";

/** The file of a run in progress, which this worker writes. */
export type OpenRunFile = Pick<RunLog, keyof RunLog>;
/** Reads a run's file, each time from a line on. */
export type RunFileReader = Pick<RunReader, "lines">;

export type RunFiles = ReturnType<typeof journalFiles>;

export function journalFiles(journal: string) {
  return {
    state: (agentId: string) => runState(journal, agentId),
    isMirrored: (agentId: string) => isMirrored(journal, agentId),
    hasRoom: (minFreeBytes?: number) => hasRoom(journal, minFreeBytes),
    freeBytes: () => freeBytes(journal),
    writeStatus: async (statusNow: () => LiveStatus) => writeLiveStatus(journal, statusNow()),

    makeFolder: (agentId: string) => makeRunFolder(journal, agentId),
    dropFolder: (agentId: string) => dropRunFolder(journal, agentId),
    record: (agentId: string) => recordOf(journal, agentId),
    keepRecord: (agentId: string, record: RunRecord) => keepRecord(journal, agentId, record),
    child: (agentId: string) => childOf(journal, agentId),
    keepChild: (agentId: string, child: ChildRecord) => keepChild(journal, agentId, child),

    /** Null: the id is taken. */
    claim: (agentId: string, durability?: Durability): OpenRunFile | null => RunLog.claim(journal, agentId, durability),
    claimMirrored: (agentId: string) => claimMirrored(journal, agentId),
    resume: (agentId: string, durability: Durability, onEvent: (event: AgentEvent) => void): Promise<OpenRunFile> =>
      RunLog.resume(journal, agentId, durability, onEvent),
    commit: (agentId: string) => commitRun(journal, agentId),
    quarantine: (agentId: string) => quarantineRun(journal, agentId),
    reader: (agentId: string): RunFileReader => new RunReader(journal, agentId),
    find: (agentId: string, names: readonly string[], fits?: (event: AgentEvent) => boolean) =>
      findEvent(journal, agentId, names, fits),
    appendToEnded: (agentId: string, next: (seq: number) => AgentEvent) => appendToEnded(journal, agentId, next),

    chainLength: (agentId: string) => chainLength(journal, agentId),
    hasHandedOn: (parent: string, agentId: string) => parentOf(journal, agentId, parent),
    chainHistory: (continueFrom: string, isQueued: (agentId: string) => boolean) =>
      chainHistory(journal, continueFrom, isQueued),
    hasAgent: (agent: string) => hasHistory(journal, agent),
    /** Null: it isn't here. */
    agentHistory: (agent: string, agentId: string) => agentHistory(journal, agent, agentId),
    attemptHistory: (agentId: string, before: readonly Message[]) => attemptHistory(journal, agentId, before),

    /** `folder`: the run's, where it has one. */
    takeAttachments: (refs: readonly AttachmentRef[], rules: AttachmentRules, folder?: string) =>
      takeAttachments(refs, { journal, folder }, rules),

    issueToken: (agentId: string, plan: Plan, folder: string, resources: ResourceLimits) =>
      tokenFor(journal, agentId, plan, folder, resources),
    issueGatewayToken: (agentId: string, plan: Plan) => gatewayTokenFor(journal, agentId, plan),
    revokeToken: (token: string) => revokeToken(journal, token),
    revokeTokensExcept: (agentIds: ReadonlySet<string>) => revokeTokensExcept(journal, agentIds),
    makeWorkFolder: (agentId: string, plan: Plan, folders?: readonly string[]) =>
      makeWorkFolder(journal, agentId, plan, folders),
    /** Whether a worktree is there, and wasn't dropped. */
    hasWorktree: (worktree: string) => hasWorktree(journal, worktree),
    /** Waits until none of the run's commands runs any more. */
    commandsEnded: (agentId: string) => commandsEnded(journal, agentId),
    takeChanges: (worktree: string, agentId: string) => takeChanges(journal, worktree, agentId),
    removeWorkFolder: (folder: string, plan: Plan) => removeWorkFolder(folder, plan),
    save: (...[day, path, result, conflict, by]: SaveArguments) => saveResult(journal, day, path, result, conflict, by),
  };
}

type SaveArguments = Parameters<typeof saveResult> extends [string, ...infer Rest] ? Rest : never;

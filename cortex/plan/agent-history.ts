/** The conversation that a turn of a long-lived agent goes on from: what its history says from the last summary on. */
import { existsSync } from "node:fs";
import { fromHistory } from "../../conversation/from-history.ts";
import { historyLines, historyRecord } from "../../journal/agents/read-history.ts";
import { agentFolder } from "../../journal/agents/agent-files.ts";
import { beginsConversation } from "../../journal/agents/agent-history.ts";
import { Cuid } from "../../protocol/agents/channel.ts";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import { ConfigError } from "../model/config-error.ts";

/** Bytes of the lines of a conversation: many times what a model takes. */
const maxHistory = 32 * 1024 * 1024;

/** Whether this journal has the history of a long-lived agent. */
export const hasHistory = (journal: string, agent: string): boolean =>
  Cuid.safeParse(agent).success && existsSync(agentFolder(journal, agent));

/**
 * Reads the conversation.
 * @param runId the run that goes on from it
 * @returns null where this journal has no such history
 * @throws ConfigError when it is too much
 */
export function agentHistory(journal: string, agent: string, runId: string): Message[] | null {
  const lines = Cuid.safeParse(agent).success ? historyLines(journal, agent, null) : null;
  if (lines === null) return null;
  const records: HistoryRecord[] = [];
  let size = 0;
  for (const { bytes } of lines) {
    size += bytes.length;
    if (size > maxHistory)
      throw new ConfigError(
        `cannot go on from the history of ${agent}: its conversation is longer than ${maxHistory} bytes. Begin it anew: cortex agents reset ${agent}`,
      );
    const record = historyRecord(bytes);
    if (record) records.push(record);
    if (record && beginsConversation(record)) break;
  }
  return fromHistory(records.toReversed(), runId);
}

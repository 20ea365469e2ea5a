/** Long-lived agents: how they are, what was said, what waits, and what is said to them. */
import { randomUUID } from "node:crypto";
import { waitingOf } from "../../../journal/agents/agent-inbox.ts";
import { listArchives, readHistory } from "../../../journal/agents/read-history.ts";
import { listAgents } from "../../../journal/agents/agent-files.ts";
import type { QueueMode } from "../../../protocol/agents/agents-settings.ts";
import type { Attachment } from "../../../protocol/agents/channel.ts";
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Machine } from "../../machine/machine.ts";
import { askAgents } from "../access/agents-service.ts";
import { tellCompanion } from "../access/tell-companion.ts";
import { lastWords } from "./last-words.ts";
import type { Companion, CompanionTask, HistoryQuery } from "./companion-records.ts";
import type { z } from "zod";

type Journal = Pick<Machine, "journal">;
type Row = z.infer<typeof Companion>;
type TaskRow = z.infer<typeof CompanionTask>;

/** Characters of a text that is shown. */
const longestText = 16_000;

export async function listCompanions(machine: Machine) {
  const { agents } = await askAgents(machine, "agents list");
  return { items: (agents as Row[]).map((row) => withLastWords(machine, row)), next: null };
}

export async function getCompanion(machine: Machine, id: string) {
  const shown = await askAgents(machine, "agents show", { agent_id: id });
  return {
    companion: withLastWords(machine, shown["agent"] as Row),
    descriptor: shown["descriptor"] as Record<string, unknown>,
    state: shown["state"] as Record<string, unknown>,
  };
}

const withLastWords = ({ journal }: Journal, row: Row): Row => ({
  ...row,
  last: lastWords(journal, row.agent_id, row.text_is_reply === true),
});

/** The one that goes on, then those that were put away, the newest first. */
export function conversations({ journal }: Journal, id: string) {
  requireAgent(journal, id);
  const archived = listArchives(journal, id).map((name) => ({ id: name, ended_at: endOf(name) }));
  return { items: [{ id: null, ended_at: null }, ...archived], next: null };
}

/** `2025-01-09-104500123-1.jsonl` says when it was put away. */
function endOf(name: string): string | null {
  const [, day, hour, minute, second, ms] = /^(\d{4}-\d{2}-\d{2})-(\d{2})(\d{2})(\d{2})(\d{3})-/.exec(name) ?? [];
  return day === undefined ? null : `${day}T${hour}:${minute}:${second}.${ms}Z`;
}

export function history({ journal }: Journal, id: string, { conversation, cursor, limit }: HistoryQuery) {
  requireAgent(journal, id);
  const page = readHistory(journal, id, { archive: conversation, before: cursor, limit });
  if (!page && conversation !== null) throw new WorkspaceError("not_found", "there is no such conversation");
  const { items, next } = page ?? { items: [], next: null };
  return { items: items.map((record) => cutStrings(record, longestText)), next };
}

export function queue({ journal }: Journal, id: string) {
  requireAgent(journal, id);
  const items = waitingOf(journal, id).map(({ id: item, ts, type, text, mode = null, silent = false }) => {
    return { id: item, ts, type, text: cutStrings(text, longestText), mode, silent };
  });
  return { items, next: null };
}

export type Message = {
  text: string;
  id?: string | undefined;
  mode?: QueueMode | undefined;
};

export async function send(machine: Machine, agent: string, { text, id, mode }: Message, attachments: Attachment[]) {
  requireAgent(machine.journal, agent);
  const sent = { id: id ?? `page-${randomUUID()}`, text, mode };
  await tellCompanion(machine, agent, { ...sent, ...(attachments.length > 0 && { attachments }) });
  return { id: sent.id };
}

export async function stop(machine: Machine, id: string) {
  const { stopped } = await askAgents(machine, "agents stop", { agent_id: id });
  return { stopped: stopped === true };
}

/** A message that waits isn't said. @throws WorkspaceError `conflict` for one that is answered already */
export async function takeBack(machine: Machine, id: string, message: string) {
  await askAgents(machine, "agents take-back", { agent_id: id, item: message });
  return { id: message };
}

/** A message that waits is told to the turn that goes on. @throws WorkspaceError `conflict` for one that is answered already */
export async function sayNow(machine: Machine, id: string, message: string) {
  await askAgents(machine, "agents say-now", { agent_id: id, item: message });
  return { id: message };
}

export async function reset(machine: Machine, id: string) {
  await askAgents(machine, "agents reset", { agent_id: id });
  return { agent_id: id };
}

export async function compact(machine: Machine, id: string) {
  const { context_tokens: tokens } = await askAgents(machine, "agents compact", { agent_id: id });
  return { agent_id: id, ...(typeof tokens === "number" && { context_tokens: tokens }) };
}

/** Lists the tasks that an agent has sent off, and theirs, the newest first. */
export async function tasks(machine: Machine, parent: string, day: string | undefined) {
  const { tasks: all } = (await askAgents(machine, "tasks list", day === undefined ? {} : { day })) as {
    tasks: (TaskRow & { parent?: string })[];
  };
  const family = new Set([parent]);
  // A task comes behind its parent in the order of age.
  for (const task of all.toReversed()) if (family.has(task.parent ?? "")) family.add(task.taskId);
  return { items: all.filter(({ taskId }) => family.has(taskId)), next: null };
}

export async function task(machine: Machine, id: string) {
  const shown = await askAgents(machine, "tasks show", { agent_id: id });
  const conversation = typeof shown["conversation"] === "string" ? shown["conversation"] : "";
  return { task: shown["task"] as TaskRow, conversation };
}

export async function resume(machine: Machine, id: string, text: string) {
  await askAgents(machine, "tasks resume", { agent_id: id, input: text });
  return { id };
}

/** @throws WorkspaceError `not_found` */
function requireAgent(journal: string, id: string): void {
  if (!listAgents(journal).includes(id)) throw new WorkspaceError("not_found", `there is no agent ${id}`);
}

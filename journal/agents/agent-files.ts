/** Where the files of long-lived agents stand, `agents/<cuid2>/`, and who they are and how they are. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { AgentDescriptor, AgentState, type AgentTurn } from "../../protocol/agents/agent-files.ts";
import { Cuid } from "../../protocol/agents/channel.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export const agentsFolder = (journal: string) => join(journal, "agents");

/** @throws Error for what is not an agent's id */
export const agentFolder = (journal: string, id: string) => join(agentsFolder(journal), Cuid.parse(id));
export const historyFile = (journal: string, id: string) => join(agentFolder(journal, id), "history.jsonl");
/** Where the history that begins with a summary is written before it takes the place of what is put away. */
export const nextHistory = (history: string) => `${history}.next`;
export const inboxFile = (journal: string, id: string) => join(agentFolder(journal, id), "inbox.jsonl");
export const archiveFolder = (journal: string, id: string) => join(agentFolder(journal, id), "archive");
/** Where an agent and its tasks keep their files, unless the settings say otherwise. */
export const workFolder = (journal: string, id: string) => join(agentFolder(journal, id), "work");
const descriptorFile = (journal: string, id: string) => join(agentFolder(journal, id), "descriptor.json");
export const stateFile = (journal: string, id: string) => join(agentFolder(journal, id), "state.json");

/** The ids of all agents, in order. One without a descriptor was never finished, and is none. */
export function listAgents(journal: string): string[] {
  if (!existsSync(agentsFolder(journal))) return [];
  return readdirSync(agentsFolder(journal))
    .filter((name) => Cuid.safeParse(name).success && existsSync(descriptorFile(journal, name)))
    .toSorted();
}

/** @throws Error when it can't be read */
export const readDescriptor = (journal: string, id: string): AgentDescriptor =>
  AgentDescriptor.parse(parseOwnJson(readFileSync(descriptorFile(journal, id), "utf8")));

/** Makes an agent. Its descriptor comes last: with it the agent is there. */
export async function writeDescriptor(journal: string, descriptor: AgentDescriptor): Promise<void> {
  mkdirSync(agentFolder(journal, descriptor.id), { recursive: true, mode: 0o700 });
  await replaceFile(descriptorFile(journal, descriptor.id), `${JSON.stringify(descriptor, null, 2)}\n`);
}

/** Puts aside what couldn't be read of an agent that is made anew: its files are replaced, and somebody may want to fix them. */
export function keepUnreadable(journal: string, id: string): void {
  if (!existsSync(descriptorFile(journal, id))) return;
  for (const path of [descriptorFile(journal, id), stateFile(journal, id)])
    if (existsSync(path)) renameSync(path, `${path}.unreadable-${Date.now()}`);
}

/** @throws Error when it can't be read */
export const readState = (journal: string, id: string): AgentState =>
  AgentState.parse(parseOwnJson(readFileSync(stateFile(journal, id), "utf8")));

/** The turn of an agent that is under way; null: none is, or its files can't be read now. */
export function readTurn(journal: string, id: string): AgentTurn | null {
  try {
    return readState(journal, id).turn;
  } catch {
    return null;
  }
}

export const writeState = (journal: string, id: string, state: AgentState) =>
  replaceFile(stateFile(journal, id), `${JSON.stringify(state, null, 2)}\n`);

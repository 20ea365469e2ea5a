/**
 * Opens the session of a run: the one that the conversation's last answer came from, where the agent still has it and nobody has
 * gone on from it since; else a new one.
 */
import type { InitializeResponse, McpServer } from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { Message, RunConfig } from "../../protocol/runs/run-config.ts";
import type { AgentConnection } from "./agent-connection.ts";
import { errorWords } from "./failures.ts";
import { ownFolder } from "./agent-setup.ts";
import { claimTurn, noteSession } from "./session-claims.ts";
import type { Offered } from "./session-options.ts";

/**
 * The record of a session on a run's answer, stored as reasoning.
 * @field turns how many runs have answered in it: the next one claims the next number
 * @field cost_usd what it had cost by then, as its agent counts
 */
export const SessionRecord = z.object({
  session_id: z.string().min(1).max(512),
  folder: z.string(),
  turns: z.number().int().positive(),
  cost_usd: z.number().nonnegative().nullable(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

export type OpenSession = {
  id: string;
  offered: Offered;
  /** The one that goes on; undefined: it is new, and knows nothing of the conversation. */
  former: SessionRecord | undefined;
  /** Why the session of the last answer doesn't go on; absent: it does, or there was none. */
  loss?: string;
};

export type SessionPlace = {
  config: RunConfig;
  environment: NodeJS.ProcessEnv;
  folder: string;
  mcpServers: McpServer[];
  signal: AbortSignal;
};

/** @throws the agent's error where it opens none */
export async function openSession(
  connection: AgentConnection,
  { agentCapabilities = {} }: InitializeResponse,
  place: SessionPlace,
): Promise<OpenSession> {
  const { config, environment, folder: cwd, mcpServers, signal } = place;
  const former = formerSession(config, cwd);
  const method = agentCapabilities.sessionCapabilities?.resume
    ? "session/resume"
    : agentCapabilities.loadSession
      ? "session/load"
      : undefined;
  const claims = ownFolder(config.backend ?? "agent", environment);
  let loss = former && method && !claimTurn(claims, former) ? "another run is in its session" : undefined;
  if (former && method && loss === undefined)
    try {
      const params = { sessionId: former.session_id, cwd, mcpServers };
      const offered = await connection.request(method, params, signal);
      return { id: former.session_id, offered: offered ?? {}, former };
    } catch (error) {
      // It is gone, or of a former version: what was said is known all the same.
      if (signal.aborted) throw error;
      loss = `its session can't be opened: ${errorWords(error)}`;
    }
  const { sessionId, ...offered } = await connection.request("session/new", { cwd, mcpServers }, signal);
  if (method) noteSession(claims, sessionId);
  return { id: sessionId, offered, former: undefined, ...(loss !== undefined && { loss }) };
}

/** The session of the last message. One that didn't answer last lacks what was said after it. */
function formerSession({ backend, history = [] }: RunConfig, folder: string): SessionRecord | undefined {
  const last: Message | undefined = history.at(-1);
  if (last?.role !== "assistant") return undefined;
  const block = last.reasoning?.findLast(({ provider }) => provider === backend);
  const record = SessionRecord.safeParse(block?.opaque).data;
  return record?.folder === folder ? record : undefined;
}

/** Orders of channels over HTTP to an agent, beside messages: that it begins anew, that it stops, and what was said. */
import { z } from "zod";
import { callCommand, NoAgentsError } from "../../bus/agents/agent-calls.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { listAgents } from "../../journal/agents/agent-files.ts";
import { type HistoryPage, readHistory } from "../../journal/agents/read-history.ts";
import type { Channel } from "../../protocol/agents/channel.ts";
import { cutStrings } from "../../protocol/json/cut-strings.ts";
import { busAs } from "../../web/machine/base/bus-as.ts";
import { HttpError } from "./http-server.ts";

/** Records of one page of a history. */
const usualRecords = 50;
const mostRecords = 200;

/** Characters of a text in a history. */
const longestText = 16_000;

/** In place of an agent's id: the one that the asker's messages to the room `main` go to. */
export const ownAgent = "main";

export const HistoryQuery = z.object({
  before: z.coerce.number().int().nonnegative().optional().meta({ description: "`next` of the page behind it." }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostRecords)
    .default(usualRecords)
    .meta({ description: `Records, ${usualRecords} by default, ${mostRecords} at most.` }),
});

export const AgentOrder = z.enum(["reset", "stop"]);
export type AgentOrder = z.infer<typeof AgentOrder>;

export const Stopped = z.object({ agent_id: z.string(), stopped: z.boolean() });
export const Reset = z.object({ agent_id: z.string() });

type Asker = { journal: string; bus: Bus; channel: Channel };

/** Gives an agent an order. @throws HttpError 404 for an agent that there isn't, 503 when nobody answers */
export async function orderAgent(asker: Asker, id: string, order: AgentOrder): Promise<object> {
  const agent_id = await agentOf(asker, id);
  const result = await ask(asker, `agents ${order}`, { agent_id });
  return order === "reset" ? Reset.parse({ agent_id }) : Stopped.parse({ agent_id, stopped: result["stopped"] });
}

/** A page of what was said to and by an agent, the last records first. @throws HttpError as `orderAgent` */
export async function historyOf(
  asker: Asker,
  id: string,
  { before = null, limit }: Omit<z.infer<typeof HistoryQuery>, "before"> & { before?: number | null | undefined },
): Promise<HistoryPage> {
  const agent = await agentOf(asker, id);
  const { items, next } = readHistory(asker.journal, agent, { archive: null, before, limit }) ?? {
    items: [],
    next: null,
  };
  return { items: items.map((record) => cutStrings(record, longestText)), next };
}

async function agentOf(asker: Asker, id: string): Promise<string> {
  const agent =
    id === ownAgent ? String((await ask(asker, "agents find", { channel: asker.channel }))["agent_id"]) : id;
  if (!listAgents(asker.journal).includes(agent))
    throw new HttpError(404, `there is no agent ${id}: see cortex agents list`);
  return agent;
}

async function ask({ journal, bus }: Asker, command: string, args: Record<string, unknown>) {
  try {
    await using open = await busAs({ journal, bus }, "owner");
    const answer = await callCommand(open.bus, { command, args });
    if (answer.ok) return answer.result;
    throw new HttpError(409, answer.error);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (error instanceof NoAgentsError)
      throw new HttpError(503, "the agents' service is away: try again", { cause: error });
    throw new HttpError(503, "the bus doesn't answer: try again", { cause: error });
  }
}

/**
 * News for a channel about the turns of its messages, so that its adapter can show that somebody is at work. Nothing is kept: who
 * doesn't hear it does without.
 */
import { z } from "zod";
import type { AgentNews } from "../../protocol/agents/agent-event.ts";
import { messageOfItem } from "../../protocol/agents/message-place.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";

/** Messages at most that one piece of news names: those behind do without. */
const mostMessages = 1000;

const ChannelTurn = z.looseObject({
  event: z.enum(["turn_started", "turn_ended"]),
  ids: z.array(z.string()),
});
export type ChannelTurn = z.infer<typeof ChannelTurn>;

/** Agents' events that name messages. One that was dropped is over, as if its turn had ended. */
const turnEvents: Partial<Record<AgentNews["event"], ChannelTurn["event"]>> = {
  turn_started: "turn_started",
  turn_ended: "turn_ended",
  taken_back: "turn_ended",
  reset: "turn_ended",
};

const Named = z.object({ items: z.array(z.string()).catch([]), item: z.string().optional().catch(undefined) });

/** Tells each channel which of its messages an agent's event is about. */
export function publishChannelTurns(bus: Bus, news: AgentNews): void {
  const event = turnEvents[news.event];
  if (event === undefined || !bus.isConnected) return;
  const { items, item } = Named.parse(news);
  const messages = [...items, ...(item === undefined ? [] : [item])].flatMap((one) => messageOfItem(one) ?? []);
  for (const [type, ofType] of Map.groupBy(messages, (message) => message.type)) {
    const ids = ofType.slice(0, mostMessages).map(({ id }) => id);
    bus.connection.publish(subjects.channelTurn(type), JSON.stringify({ event, ids } satisfies ChannelTurn));
  }
}

/** Hears the turns of a channel's messages, until the bus is closed. */
export function hearChannelTurns(bus: Bus, type: string, onTurn: (turn: ChannelTurn) => void): void {
  bus.connection.subscribe(subjects.channelTurn(type), {
    callback: (error, message) => {
      // A bus that doesn't let this be heard does without the signs.
      const turn = error ? undefined : ChannelTurn.safeParse(tryParseJson(message.string())).data;
      if (turn) onTurn(turn);
    },
  });
}

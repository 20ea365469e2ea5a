/** The replies to an agent's terminals that none of them has shown yet, found in the stream of what went out. */
import { type FormerOutbound, formerOutbound } from "../../bus/agents/channels.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { ShownReplies } from "../../journal/channels/shown-replies.ts";
import { isNotice, type OutboundMessage } from "../../protocol/agents/channel.ts";

/** Whether a message belongs on the terminal of an agent: its own, cortex's, and what asks for a permission. */
export const isForTerminalOf = (agentId: string, { agent_id, metadata }: OutboundMessage): boolean =>
  agent_id === undefined || agent_id === agentId || isNotice({ metadata }) || metadata?.["permission"] !== undefined;

type Parts = { channel: Bus; type: string; agentId: string; shown: ShownReplies };

export class UnseenReplies {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Finds the place behind what a terminal of this agent has seen. @param last the newest place of the stream */
  async firstPlace(last: number): Promise<number> {
    const { shown, agentId } = this.#parts;
    const place = shown.placeOf(agentId);
    if (!place) return 1;
    // A bus that has lost its store counts from the begin: then another message is in that place, or none is there yet.
    const id = place.position > last ? null : await this.idAt(place.position);
    if (place.position <= last && (id === null || id === place.id)) return place.position + 1;
    shown.forgetPlace(agentId);
    return 1;
  }

  /** Finds the id of the message at a place; null: it isn't there any more. */
  async idAt(position: number): Promise<string | null> {
    const { channel, type } = this.#parts;
    for await (const { message } of formerOutbound(channel, type, position, position)) return message.id;
    return null;
  }

  /** Yields those of these places, oldest first. */
  async *between(first: number, last: number): AsyncGenerator<FormerOutbound> {
    const { channel, type, agentId, shown } = this.#parts;
    for await (const one of formerOutbound(channel, type, first, last))
      if (isForTerminalOf(agentId, one.message) && !shown.isShown(one.message.id)) yield one;
  }
}

/** Adapter: a way between people and agents, in a program of its own. `run-adapter.ts` runs it. */
import type { InboundMessage, OutboundMessage, PermissionDecision } from "../../protocol/agents/channel.ts";

/** The agents' side, as an adapter sees it. */
export type AgentSide = {
  /**
   * Sends a message into its agent. Resolves when it is stored, with whether that id was there already.
   * @throws when the bus doesn't answer: then nothing is known to be stored, and the same id may be sent again
   */
  send: (message: InboundMessage) => Promise<{ isRepeated: boolean }>;
  /** Says what a user has decided. */
  decide: (token: string, decision: PermissionDecision) => Promise<void>;
  /** The adapter can't go on: its program ends with this. */
  giveUp: (error: Error) => void;
};

export type ChannelAdapter = {
  readonly type: string;
  /** Begins to take messages in. Resolves when it does, with where it listens. */
  start: (agent: AgentSide) => Promise<{ url?: string }>;
  /** The parts in which a message goes out, each delivered on its own. The same ones each time. Absent: as a whole. */
  split?: (message: OutboundMessage) => OutboundMessage[];
  /**
   * Takes a message out. Resolves when it has arrived.
   * @param signal it is given up: whether it arrived, nobody knows then
   * @throws PermanentDeliveryError: it didn't arrive, and never will. RetryableDeliveryError: it surely didn't arrive, and may later. Any other
   * error: nobody knows
   */
  deliver: (message: OutboundMessage, signal: AbortSignal) => Promise<{ external_id?: string }>;
  /** Takes nothing in any more, and closes what it has opened. */
  stop: () => Promise<void>;
};

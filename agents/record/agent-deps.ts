/** Dependencies of the agents' service, once: each room takes what it needs of them with `Pick`. */
import type { Bus } from "../../bus/connection/connect.ts";
import type { Quarantine } from "../../journal/quarantine/quarantine.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { AgentEventName } from "../../protocol/agents/agent-event.ts";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import type { Channel, MessageSubject, OutboundMessage } from "../../protocol/agents/channel.ts";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { Prompts } from "../prompt/build.ts";
import type { ExternalPacks } from "../prompt/tools-for.ts";

/** The prompts of agents, and what of the journal stands in them. */
type AgentPrompts = {
  /** The prompts of an agent with a persona and tools: the same, byte by byte, as long as nobody and no room becomes known. */
  of: (persona: string, tools: readonly string[]) => Prompts;
  externalTools: () => Promise<ExternalPacks>;
  /** The index of the memory, as text; empty when there is none. */
  memoryIndex: () => string;
};

/** Messages that leave an agent: to people, and to other agents. */
type AgentMessages = {
  /** Sends a notice of the service to people, once for each id. Whether it arrives, nobody waits for. */
  sendNotice: (id: string, channel: Channel, text: string, about?: MessageSubject) => Promise<void>;
  /** Sends a message in an agent's name, once for each id. */
  sendReply: (message: OutboundMessage) => Promise<void>;
  /**
   * Puts an item into an agent's inbox, and has its worker start. Resolves, when it lasts, with whether it is new.
   * @throws Error when there is no such agent
   */
  post: (agentId: string, item: InboxItem) => Promise<boolean>;
};

export type AgentDeps = {
  journal: string;
  bus: Bus;
  log: Logger;
  timeZone: string;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
  prompts: AgentPrompts;
  messages: AgentMessages;
  /** Keeps items that fail again and again. */
  quarantine: Quarantine;
  /** A run's id that no other turn has. */
  nextRunId: () => number;
  publishEvent: (agentId: string, event: AgentEventName, more?: Record<string, unknown>) => void;
  /** The questions of an agent to its user whose answer hasn't come. */
  questionsOf: (agentId: string) => readonly KeptQuestion[];
};

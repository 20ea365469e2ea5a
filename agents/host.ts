/** What every agent shares: where its files are, how it is heard, and what the others are. */
import type { Bus } from "../bus/connection/connect.ts";
import type { Quarantine } from "../journal/quarantine/quarantine.ts";
import type { AgentEventName } from "../protocol/agents/agent-event.ts";
import type { InboxItem } from "../protocol/agents/agent-files.ts";
import type { Channel, OutboundMessage } from "../protocol/agents/channel.ts";
import type { Persona } from "../protocol/settings/persona.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { Agent } from "./agent.ts";
import type { Prompts } from "./prompt/build.ts";
import type { OutsideNames } from "./tools-for.ts";

export type AgentHost = {
  journal: string;
  bus: Bus;
  timeZone: string;
  settings: () => Settings;
  /** Those of a persona: the same, byte by byte, as long as this program runs. */
  promptsOf: (persona: string) => Prompts;
  persona: (name: string) => Persona | undefined;
  outside: () => Promise<OutsideNames>;
  /** The index of the memory, as text; empty when there is none. */
  memoryIndex: () => string;
  log: Logger;
  /** What fails again and again is put away there. */
  quarantine: Quarantine;
  /** A run's id that no other turn has. */
  nextRunId: () => number;
  tell: (agentId: string, event: AgentEventName, more?: Record<string, unknown>) => void;
  /** Says something to people by itself, once for each id. Whether it arrives, nobody waits for. */
  say: (id: string, channel: Channel, text: string) => Promise<void>;
  /** Says something in an agent's name, once for each id. */
  reply: (message: OutboundMessage) => Promise<void>;
  agent: (id: string) => Agent | undefined;
  /** The sub-agents that an agent has sent off. */
  tasksOf: (agentId: string) => readonly Agent[];
  /** Tokens that the answers to a sender have used today, and those to all whom nobody knows. */
  tokensOfStrangers: (type: string, userId: string) => { own: number; all: number };
  /** Puts something into another agent's inbox. Resolves when it lasts. */
  post: (agentId: string, item: InboxItem) => Promise<void>;
};

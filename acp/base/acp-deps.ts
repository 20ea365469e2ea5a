/** The journal and the ways to what runs on it, as `cortex acp` is handed them. */
import type { Bus } from "../../bus/connection/connect.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Attachment, OutboundMessage } from "../../protocol/agents/channel.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** A conversation with a long-lived agent, as a terminal has it. */
export type AgentLink = Disposable & {
  agentId: string;
  /** Says something under this id. Resolves with the name of the item in the agent's events, when it is stored. */
  sendText: (text: string, attachments: Attachment[], id: string) => Promise<string>;
  /** The messages to terminals from now on that are for this one; each is confirmed when the next is asked for. */
  replies: (signal: AbortSignal, isFor: (message: OutboundMessage) => boolean) => AsyncIterable<OutboundMessage>;
  /** Whether all that it has said by now was confirmed. */
  isRead: () => Promise<boolean>;
};

export type AcpDeps = {
  journal: string;
  /** As they are now. */
  settings: () => Settings;
  /** The persona of new sessions. */
  persona: string;
  /** The version of cortex. */
  version: string;
  /** The bus, as who asks for runs. @throws NothingRunsError */
  client: () => Promise<Bus>;
  /** The bus, as the owner at this machine. @throws NothingRunsError */
  owner: () => Promise<Bus>;
  /** @param agent its id; absent: the agent that terminals talk to. @throws NothingRunsError */
  openLink: (agent: string | undefined) => Promise<AgentLink>;
  log: Logger;
};

/** There is nobody who could answer: no bus, or no program that listens. */
export class NothingRunsError extends Error {
  override name = "NothingRunsError";
}

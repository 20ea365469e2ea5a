/** Opening of an adapter, and its dependencies. */
import type { Bus } from "../../bus/connection/connect.ts";
import type { Outbox } from "../../journal/channels/outbox.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { ChannelSettings } from "../../protocol/agents/channel-settings.ts";
import type { ChannelAdapter } from "./adapter.ts";

export type AdapterDeps = {
  journal: string;
  /** Its own, from `channels.<type>`. */
  settings: ChannelSettings;
  environment: Environment;
  /** For secrets that stand in a variable. */
  env: NodeJS.ProcessEnv;
  /** To read what goes out to it. */
  bus: Bus;
  /** To find what it has delivered. */
  outbox: Pick<Outbox, "delivery">;
  log: Logger;
  signal: AbortSignal;
};

/** @throws ChannelSecretError when a secret that it needs isn't there */
export type OpenAdapter = (deps: AdapterDeps) => Promise<ChannelAdapter>;

/** How each channel is set up. Each is loaded only by who sets it up or checks it. `web` needs nothing. */
import type { AdapterType } from "../protocol/agents/channel-settings.ts";
import type { ChannelSetup } from "./adapter/setup.ts";

export const setups: Record<Exclude<AdapterType, "web">, () => Promise<ChannelSetup>> = {
  webhook: async () => (await import("./webhook/setup.ts")).webhookSetup,
  telegram: async () => (await import("./telegram/setup.ts")).telegramSetup,
  slack: async () => (await import("./slack/setup.ts")).slackSetup,
  mail: async () => (await import("./mail/setup.ts")).mailSetup,
  sms: async () => (await import("./sms/setup.ts")).smsSetup,
  signal: async () => (await import("./signal/setup.ts")).signalSetup,
};

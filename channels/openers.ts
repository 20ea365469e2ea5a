/** All adapters. Each is loaded only by the program that runs it. */
import type { AdapterType } from "../protocol/agents/channel-settings.ts";
import type { OpenAdapter } from "./adapter/open-adapter.ts";

export const openers: Record<AdapterType, () => Promise<OpenAdapter>> = {
  web: async () => (await import("./web/adapter.ts")).openWeb,
  webhook: async () => (await import("./webhook/adapter.ts")).openWebhook,
  telegram: async () => (await import("./telegram/adapter.ts")).openTelegram,
  slack: async () => (await import("./slack/adapter.ts")).openSlack,
  mail: async () => (await import("./mail/adapter.ts")).openMail,
  sms: async () => (await import("./sms/adapter.ts")).openSms,
  signal: async () => (await import("./signal/adapter.ts")).openSignal,
};

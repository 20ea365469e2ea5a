/** The settings of one channel, and which adapters they have started. */
import { z } from "zod";
import { mailFields } from "./channels/mail.ts";
import { ReachedAt } from "./channels/reached-at.ts";
import { signalFields } from "./channels/signal.ts";
import { slackFields } from "./channels/slack.ts";
import { smsFields } from "./channels/sms.ts";
import { telegramFields } from "./channels/telegram.ts";
import { webFields } from "./channels/web.ts";
import { webhookFields } from "./channels/webhook.ts";

export const ChannelSettings = z.looseObject({
  external: z.boolean().optional().meta({
    description: "An adapter of the user's own: its bus user is in `.run/channels/<type>.json`.",
  }),
  enabled: z.boolean().optional().meta({
    description: "Whether `cortex up` starts its adapter. Default: `web` yes, others where they stand here.",
  }),
  port: z.number().int().min(0).max(65535).optional().meta({
    description: "`web`, `webhook`, `sms`: its port on 127.0.0.1; 0: any free one. Default 6271, 6272 and 6274.",
  }),
  public_url: ReachedAt.optional().meta({
    description:
      "The address of a proxy on this machine that has TLS and hands requests on to the port. `web`: with their `Host` and `X-Forwarded-Proto: https`; needs the password; absent: nobody but this machine is answered. `sms`: where Twilio reaches it, as it is given there.",
  }),
  allow: z.array(z.string().min(1)).max(1000).optional().meta({
    description:
      "The ids of the users who may write, as owners always may (`telegram`, `slack`, `mail`: addresses in lower case, `sms`, `signal`), or who aren't strangers (others). Absent: anybody may write, and is a stranger, with the limits of `agents.strangers`.",
  }),
  api_url: z
    .url({ protocol: /^https?$/, error: "expected an http or https address" })
    .optional()
    .meta({
      description:
        "Where the service's API is. Default: `telegram` `https://api.telegram.org`, `slack` `https://slack.com/api`, `sms` `https://api.twilio.com`.",
    }),
  url: z
    .url({ protocol: /^https?$/, error: "expected an http or https address" })
    .optional()
    .meta({
      description:
        "`webhook`: where messages go out to; absent: none do. `signal`: where signal-cli's daemon listens, on this machine or over https.",
    }),
  ...webFields,
  ...webhookFields,
  ...telegramFields,
  ...slackFields,
  ...mailFields,
  ...smsFields,
  ...signalFields,
});
export type ChannelSettings = z.infer<typeof ChannelSettings>;

/** The adapters that are programs of ours, in the order in which they start. `cli` is a command. */
export const AdapterType = z.enum(["web", "webhook", "telegram", "slack", "mail", "sms", "signal"]);
export type AdapterType = z.infer<typeof AdapterType>;

/** The name under which an adapter is kept, logs, and is known to the bus. */
export const adapterProgram = <Type extends string>(type: Type) => `channel-${type}` as const;

/** The adapters that `cortex up` starts. */
export function startedAdapters(channels: Record<string, ChannelSettings> | undefined): AdapterType[] {
  return AdapterType.options.filter((type) => {
    const settings = channels?.[type];
    if (settings?.external === true || settings?.enabled === false) return false;
    return type === "web" || settings !== undefined;
  });
}

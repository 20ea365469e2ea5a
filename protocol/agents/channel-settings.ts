/** The settings of one channel, and which adapters they have started. */
import { z } from "zod";

const path = "A file that its owner alone can read; absolute, or relative to the journal.";

export const ChannelSettings = z.looseObject({
  external: z.boolean().optional().meta({
    description: "An adapter of the user's own: its bus user is in `.run/channels/<type>.json`.",
  }),
  enabled: z.boolean().optional().meta({
    description: "Whether `cortex up` starts its adapter. Default: `web` yes, others where they stand here.",
  }),
  port: z.number().int().min(0).max(65535).optional().meta({
    description: "`web`, `webhook`: its port on 127.0.0.1; 0: any free one. Default 6271 and 6272.",
  }),
  public_url: z
    .url({ protocol: /^https$/, error: "expected an https address" })
    .optional()
    .meta({
      description:
        "`web`: the address of a proxy on this machine that has TLS and hands requests on to the port, with their `Host` and `X-Forwarded-Proto: https`. Needs the password. Absent: nobody but this machine is answered.",
    }),
  password_file: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: `\`web\`: the password that is asked for, beside the link, of who signs in at \`public_url\`; at least 12 characters. ${path}`,
    }),
  password_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`web`: the variable with that password, in the environment of `cortex up`." }),
  url: z
    .url({ protocol: /^https?$/, error: "expected an http or https address" })
    .optional()
    .meta({ description: "`webhook`: where messages go out to. Absent: none do." }),
  secret_file: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: `\`webhook\`: the secret with which messages are signed: \`whsec_\` and a key in base64, as Standard Webhooks has it, or any text. ${path}`,
    }),
  secret_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`webhook`: the variable with that secret, in the environment of `cortex up`." }),
  token_file: z
    .string()
    .min(1)
    .optional()
    .meta({ description: `\`telegram\`: the bot's token. ${path}` }),
  token_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`telegram`: the variable with that token, in the environment of `cortex up`." }),
  api_root: z
    .url({ protocol: /^https?$/, error: "expected an http or https address" })
    .optional()
    .meta({ description: "`telegram`: a Bot API server of your own. Default `https://api.telegram.org`." }),
  allow: z.array(z.string().min(1)).max(1000).optional().meta({
    description:
      "The ids of the users who may write (`telegram`), or who aren't strangers (others). Absent: anybody may write, and is a stranger, with the limits of `agents.strangers`.",
  }),
});
export type ChannelSettings = z.infer<typeof ChannelSettings>;

/** The adapters that are programs of ours, in the order in which they start. `cli` is a command. */
export const AdapterType = z.enum(["web", "webhook", "telegram"]);
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

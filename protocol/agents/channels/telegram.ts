/** The settings of `telegram` alone. */
import { z } from "zod";
import { ReachedAt } from "./reached-at.ts";
import { secretFile } from "./secret-file.ts";
import { TranscribeSettings } from "./transcribe.ts";

export const telegramFields = {
  token_file: z
    .string()
    .min(1)
    .optional()
    .meta({ description: `\`telegram\`: the bot's token. ${secretFile}` }),
  token_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`telegram`: the variable with that token, in the environment of `cortex up`." }),
  webhook: z
    .looseObject({
      public_url: ReachedAt.meta({
        description:
          "Where Telegram reaches it: a proxy on this machine that has TLS and hands requests on to the port. Any path.",
      }),
      port: z
        .number()
        .int()
        .min(0)
        .max(65535)
        .meta({ description: "Where it listens, on 127.0.0.1; 0: any free port." }),
    })
    .optional()
    .meta({
      description: "`telegram`: Telegram sends what comes, instead of being asked for it. Absent: it is asked.",
    }),
  transcribe: TranscribeSettings.optional().meta({
    description:
      "`telegram`: the words of voice messages and other sounds become the text of their message. Absent: the sound alone comes, for models that hear.",
  }),
  api_root: z
    .url({ protocol: /^https?$/, error: "expected an http or https address" })
    .optional()
    .meta({ description: "`telegram`: the former name of `api_url`." }),
};

/** The settings of `telegram` alone. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

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
  api_root: z
    .url({ protocol: /^https?$/, error: "expected an http or https address" })
    .optional()
    .meta({ description: "`telegram`: the former name of `api_url`." }),
};

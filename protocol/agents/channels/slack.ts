/** The settings of `slack` alone. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

const variable = (token: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({ description: `\`slack\`: the variable with ${token}, in the environment of \`cortex up\`.` });

export const slackFields = {
  app_token_file: z
    .string()
    .min(1)
    .optional()
    .meta({ description: `\`slack\`: the app-level token, \`xapp-…\`, with \`connections:write\`. ${secretFile}` }),
  app_token_env: variable("the app-level token"),
  bot_token_file: z
    .string()
    .min(1)
    .optional()
    .meta({ description: `\`slack\`: the bot's token, \`xoxb-…\`. ${secretFile}` }),
  bot_token_env: variable("the bot's token"),
};

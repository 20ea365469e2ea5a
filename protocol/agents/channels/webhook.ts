/** The settings of `webhook` alone. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

export const webhookFields = {
  secret_file: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: `\`webhook\`: the secret with which messages are signed: \`whsec_\` and a key in base64, as Standard Webhooks has it, or any text. ${secretFile}`,
    }),
  secret_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`webhook`: the variable with that secret, in the environment of `cortex up`." }),
  owner: z.boolean().optional().meta({
    description:
      "`webhook`: whether messages that name no `userId` are an owner's. Whoever has the secret can send one. Default no.",
  }),
};

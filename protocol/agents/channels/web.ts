/** The settings of `web` alone. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

export const webFields = {
  password_file: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: `\`web\`: the password that is asked for, beside the link, of who signs in at \`public_url\`; at least 12 characters. ${secretFile}`,
    }),
  password_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`web`: the variable with that password, in the environment of `cortex up`." }),
};

/** The settings of `web` alone. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

export const webFields = {
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
      description: `\`web\`: the password that is asked for, beside the link, of who signs in at \`public_url\`; at least 12 characters. ${secretFile}`,
    }),
  password_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`web`: the variable with that password, in the environment of `cortex up`." }),
};

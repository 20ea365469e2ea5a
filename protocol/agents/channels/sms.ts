/** The settings of `sms` alone. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

export const smsFields = {
  account_sid: z
    .string()
    .regex(/^AC[A-Za-z0-9]{1,62}$/, "expected an account's SID as Twilio shows it, AC…")
    .optional()
    .meta({ description: "`sms`: the account's SID at Twilio." }),
  auth_token_file: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: `\`sms\`: that account's auth token, with which requests are signed both ways. ${secretFile}`,
    }),
  auth_token_env: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`sms`: the variable with that token, in the environment of `cortex up`." }),
  from: z
    .string()
    .regex(/^(\+[1-9]\d{6,14}|\d{3,8}|MG[0-9a-fA-F]{32})$/, "expected a number such as +15005550006, or MG…")
    .optional()
    .meta({ description: "`sms`: the number that messages go out from, or the SID of a messaging service." }),
};

/** The settings of `mail` alone. */
import { z } from "zod";
import { secretFile } from "./secret-file.ts";

const host = z.string().min(1).max(255);
const port = z.number().int().min(1).max(65535).optional();
const user = z.string().min(1).max(256).meta({ description: "The name with which it logs in." });
const password_file = z
  .string()
  .min(1)
  .optional()
  .meta({ description: `The password of that account. ${secretFile}` });
const password_env = z
  .string()
  .min(1)
  .optional()
  .meta({ description: "The variable with that password, in the environment of `cortex up`." });
const tls = z.boolean().optional().meta({
  description:
    "`false`: without encryption, to this machine alone. Default true: from the begin, or on the ports 25, 143 and 587 by STARTTLS, which is never left out.",
});

const server = (what: string, usualPort: number) =>
  z
    .looseObject({
      host: host.meta({ description: `The server ${what}.` }),
      port: port.meta({ description: `Its port. Default ${usualPort}.` }),
      user,
      password_file,
      password_env,
      tls,
    })
    .optional();

export const MailTrust = z.enum(["dkim", "spf"]);
export type MailTrust = z.infer<typeof MailTrust>;

export const mailFields = {
  imap: server("from which mails are read, by IMAP", 993).meta({
    description: "`mail`: the mailbox. Its INBOX is read.",
  }),
  smtp: server("by which mails are sent, by SMTP", 465).meta({ description: "`mail`: how answers go out." }),
  address: z
    .email()
    .max(254)
    .optional()
    .meta({ description: "`mail`: its own address: people write to it, and answers come from it." }),
  trust: z.array(MailTrust).max(2).optional().meta({
    description:
      "`mail`: what shows that a mail comes from its sender's domain, as the receiving server has checked it. Default both; none: nobody is believed.",
  }),
  authserv_ids: z.array(z.string().min(1).max(255)).max(8).optional().meta({
    description:
      "`mail`: the names under which the receiving server writes what it has checked: those that stand first in the header `Authentication-Results` of what it has received. Absent: the first name there that stands above the first `Received`, and nothing below that. Empty: nobody is believed, so nobody is an owner there.",
  }),
  answers_per_hour: z.number().int().positive().optional().meta({
    description:
      "`mail`: mails at most to one address in an hour, so that two machines don't answer each other for ever. Default 60.",
  }),
};

/** Set-up of the channel `mail`. */
import { allowQuestion, type ChannelSetup, pairStep, type SetupQuestion } from "../adapter/setup.ts";
import { mailAccount, type MailServer } from "./base/account.ts";
import { newClient, toMailboxError } from "./incoming/imap-client.ts";
import { checkSending } from "./outgoing/send-mail.ts";

const serverQuestions = (kind: "imap" | "smtp", what: string, port: number): SetupQuestion[] => [
  { setting: `${kind}.host`, ask: `The server ${what} (${kind}.example.org)` },
  { setting: `${kind}.port`, ask: "Its port", usual: String(port), read: Number },
  { setting: `${kind}.user`, ask: "The name to log in there, mostly the address" },
  { setting: `${kind}.password_file`, ask: "Its password", secretFile: `mail-${kind}-password` },
];

const named: SetupQuestion = {
  setting: "authserv_ids",
  ask: "The name that stands first in the header Authentication-Results of what it has received (empty: later, and nobody is believed until then)",
  usual: null,
  read: (answer) => answer.split(",").flatMap((id) => (id.trim() === "" ? [] : [id.trim()])),
};

export const mailSetup: ChannelSetup = {
  before: ["An address for the agents alone, with IMAP turned on, and an app password where its provider has those"],
  questions: [
    { setting: "address", ask: "The address (cortex@example.org)" },
    ...serverQuestions("imap", "from which mails are read, by IMAP", 993),
    ...serverQuestions("smtp", "by which mails are sent, by SMTP", 465),
    named,
    allowQuestion("addresses in lower case"),
  ],
  check: async ({ journal, settings, env, signal }) => {
    const { address, imap, smtp, authservIds } = mailAccount({ journal, env }, settings);
    const mails = await mailsIn(imap, signal);
    await checkSending(smtp, signal);
    return `${address}, mails in its INBOX: ${mails}${authservIds.length === 0 ? "; nobody is believed: authserv_ids" : ""}`;
  },
  after: ({ address = "the address", authserv_ids = [] }) => [
    `Write a mail to ${address}`,
    ...(authserv_ids.length > 0
      ? []
      : ["cortex logs channel-mail names the server to believe, for authserv_ids: docs/channels/mail.md"]),
    pairStep,
  ],
};

async function mailsIn(server: MailServer, signal: AbortSignal): Promise<number> {
  const client = newClient(server);
  const close = () => client.close();
  signal.addEventListener("abort", close);
  try {
    await client.connect();
    const { exists } = await client.mailboxOpen("INBOX", { readOnly: true });
    return exists;
  } catch (error) {
    throw toMailboxError(error);
  } finally {
    signal.removeEventListener("abort", close);
    client.close();
  }
}

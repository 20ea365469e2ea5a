/** Set-up of the channel `mail`. */
import { allowQuestion, type ChannelSetup, pairStep, type SetupQuestion } from "../adapter/setup.ts";
import { type MailAccount, mailAccount, type MailServer } from "./base/account.ts";
import { type MailHeaders, readHeaders } from "./base/headers.ts";
import { newClient, toMailboxError } from "./incoming/imap-client.ts";
import { checkSending } from "./outgoing/send-mail.ts";
import { firstAuthservId } from "./senders/authentication-results.ts";
import { whyNobody } from "./senders/why-nobody.ts";

const serverQuestions = (kind: "imap" | "smtp", what: string, port: number): SetupQuestion[] => [
  { setting: `${kind}.host`, ask: `The server ${what} (${kind}.example.org)` },
  { setting: `${kind}.port`, ask: "Its port", usual: String(port), read: Number },
  { setting: `${kind}.user`, ask: "The name to log in there, mostly the address" },
  { setting: `${kind}.password_file`, ask: "Its password", secretFile: `mail-${kind}-password` },
];

const named: SetupQuestion = {
  setting: "authserv_ids",
  ask: "The name that stands first in the header Authentication-Results of what it has received (empty: whichever stands there above the first Received)",
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
    const account = mailAccount({ journal, env }, settings);
    const { mails, newest } = await lookInto(account.imap, signal);
    await checkSending(account.smtp, signal);
    return [`${account.address}, mails in its INBOX: ${mails}`, ...beliefIn(account, newest)].join("; ");
  },
  after: ({ address = "the address", authserv_ids }) => [
    `Write a mail to ${address}`,
    ...(authserv_ids === undefined
      ? [
          "cortex channels check says which server is believed then, or which to name in authserv_ids: docs/channels/mail.md",
        ]
      : []),
    pairStep,
  ],
};

/** Which server is believed, or why none is, by the newest mail. */
function beliefIn(account: MailAccount, newest: MailHeaders | null): string[] {
  if (account.authservIds === undefined && newest === null) return ["the next mail shows whether senders are believed"];
  const headers = newest?.all ?? [];
  const first = firstAuthservId(headers) ?? "none";
  const why = whyNobody(headers, account);
  if (why !== null) return [`nobody is believed, since ${why}; the server that stands first in the newest: ${first}`];
  return account.authservIds === undefined ? [`the server that is believed: ${first}`] : [];
}

/** How many mails there are, and the headers of the newest, where there is one and it can be read. */
async function lookInto(
  server: MailServer,
  signal: AbortSignal,
): Promise<{ mails: number; newest: MailHeaders | null }> {
  const client = newClient(server);
  const close = () => client.close();
  signal.addEventListener("abort", close);
  try {
    await client.connect();
    const { exists } = await client.mailboxOpen("INBOX", { readOnly: true });
    const newest = exists > 0 && (await client.fetchOne("*", { headers: true }));
    const headers = newest && newest.headers ? await readHeaders(newest.headers).catch(() => null) : null;
    return { mails: exists, newest: headers };
  } catch (error) {
    throw toMailboxError(error);
  } finally {
    signal.removeEventListener("abort", close);
    client.close();
  }
}

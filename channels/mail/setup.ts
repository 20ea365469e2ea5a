/** Set-up of the channel `mail`. */
import { allowQuestion, type ChannelSetup, type SetupQuestion } from "../adapter/setup.ts";
import { mailAccount } from "./base/account.ts";
import { newClient, toMailboxError } from "./incoming/imap-client.ts";
import { checkLogin } from "./outgoing/send-mail.ts";

function portIn(answer: string): number {
  const port = Number(answer);
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port;
  throw new Error("expected a port, 1 to 65535");
}

const serverQuestions = (kind: "imap" | "smtp", what: string, usualPort: number): SetupQuestion[] => [
  { setting: `${kind}.host`, ask: `The server ${what} (${kind}.example.org)` },
  { setting: `${kind}.port`, ask: "Its port", usual: String(usualPort), read: portIn },
  { setting: `${kind}.user`, ask: "The user there" },
  { setting: `${kind}.password_file`, ask: "That user's password", secretFile: `mail-${kind}-password` },
];

export const mailSetup: ChannelSetup = {
  before: [
    "Make a mailbox for it alone, and where the provider has them, a password for this program",
    "Send a mail of yours to it, and look at its source: the name that begins its topmost Authentication-Results",
  ],
  questions: [
    { setting: "address", ask: "Its address (cortex@example.org)" },
    ...serverQuestions("imap", "from which mails are read, by IMAP", 993),
    ...serverQuestions("smtp", "by which mails are sent, by SMTP", 465),
    {
      setting: "authserv_ids",
      ask: "The name that begins Authentication-Results (mx.example.org; empty: nobody is believed)",
      usual: null,
      read: (answer) => [answer],
    },
    allowQuestion("addresses in lower case"),
  ],
  check: async ({ journal, settings, env, signal }) => {
    const { address, imap, smtp } = mailAccount({ journal, env }, settings);
    const client = newClient(imap);
    signal.addEventListener("abort", () => client.close());
    try {
      await client.connect();
      const { exists } = await client.mailboxOpen("INBOX", { readOnly: true });
      await checkLogin(smtp, signal);
      return `${address}, ${exists} mails in its INBOX; mails go out by ${smtp.host}`;
    } catch (error) {
      throw client.usable ? error : toMailboxError(error);
    } finally {
      client.close();
    }
  },
  after: ({ address }) => [
    `Write to ${address} from your own address`,
    'name yourself an owner: "agents": {"owners": ["mail:you@example.org"]}, or cortex pair',
  ],
};

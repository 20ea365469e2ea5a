/** A whole system, and mails with a forged sender: nobody becomes an owner by one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOwners } from "../../../journal/agents/owners.ts";
import { AgentsSystem } from "../../agents/agents-system.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { hasDovecot, startDovecot } from "../../support/dovecot.ts";
import { patienceMs } from "../../support/patience.ts";
import { mailSettings } from "./mail-channel.ts";
import { PlayedSmtp } from "./smtp-server.ts";
import { ada, signedBy, type WrittenMail, writtenMail } from "./written-mail.ts";

test.skipIf(!hasDovecot)(
  "a mail with a forged sender has a stranger's rights, and its code pairs nobody (needs Dovecot 2.3)",
  { timeout: 3 * patienceMs },
  async () => {
    await using imap = await startDovecot();
    await using smtp = await PlayedSmtp.start();
    await using system = await AgentsSystem.start(
      {
        channels: { web: { enabled: false }, mail: mailSettings(imap.port, smtp.port) },
        agents: { join_window_ms: 0, owners: [`mail:${ada}`, `mail:unverified:${ada}`] },
      },
      {},
      {},
      (journal) => writeFileSync(join(journal, "mail-password"), "the-password-of-the-mailbox\n", { mode: 0o600 }),
    );
    await system.until(() => system.up.isReady("channel-mail"), "the channel is ready");
    const answers = () => smtp.sent.map(({ mail: { text = "" } }) => text.trim());
    const ask = async (mail: WrittenMail, answer: string) => {
      const before = answers().length;
      imap.deliver(writtenMail(mail));
      await system.until(
        () =>
          answers()
            .slice(before)
            .some((text) => text.includes(answer)),
        `it is answered: ${answer}`,
      );
    };
    // The sender wrote the server's word himself.
    const forged = { checked: null, headers: [signedBy("garden.example")] };
    await ask({ text: "/usage", ...forged }, "Only an owner may ask for that here.");
    const { stdout: code } = await runCortex(system.journal, ["pair"]);
    imap.deliver(writtenMail({ text: code.trim(), ...forged }));
    await ask({ text: "/model", ...forged }, "Only an owner may ask for that here.");
    expect(readOwners(system.journal)).toEqual([]);
    await ask({ text: "/usage" }, "Today: ");
    await ask({ text: code.trim(), from: "bob@garden.example" }, "You are known here now, as an owner.");
    expect(readOwners(system.journal)).toEqual(["mail:bob@garden.example"]);
  },
);

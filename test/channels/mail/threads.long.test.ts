/** Threads of mails as conversations of their own, and each mail as a turn, on a whole system between real servers of mail. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { waitingOf } from "../../../journal/agents/agent-inbox.ts";
import { AgentsSystem, type Mind } from "../../agents/agents-system.ts";
import type { Conversation } from "../../agents/conversation.ts";
import { hasDovecot, mailPassword, startDovecot } from "../../support/dovecot.ts";
import { patienceMs } from "../../support/patience.ts";
import { mailSettings, passwordFile } from "./mail-channel.ts";
import { PlayedSmtp } from "./smtp-server.ts";
import { ada, newMessageId, writtenMail } from "./written-mail.ts";

const words = ["HERON", "IBIS", "EGRET", "TERN"];
const wordsIn = (text: string) => words.filter((word) => text.includes(word));

/** Replies once, and says which words were asked. */
const answers: Mind = ({ last, results }) => {
  const text = `Heard ${wordsIn(last).join(" and ")}.`;
  const replyTo = /\| thread: ([^\]]+)\]/.exec(last)?.[1];
  return results.length > 0
    ? { text: "." }
    : { calls: [{ tool: "reply", args: { text, channelType: "mail", channelId: ada, replyTo } }] };
};

describe.skipIf(!hasDovecot)("mail (needs Dovecot 2.3: node tools/setup/ensure-dovecot.ts)", () => {
  test("a thread is a conversation, and each mail in it is a turn", { timeout: 4 * patienceMs }, async () => {
    await using imap = await startDovecot();
    await using smtp = await PlayedSmtp.start();
    const channels = { web: { enabled: false }, mail: mailSettings(imap.port, smtp.port) };
    // Mails that were joined would be seen: all that a test writes comes within this.
    const agents = { owners: [`mail:${ada}`], binding: "perThread", join_window_ms: 60_000 };
    await using system = await AgentsSystem.start({ channels, agents }, {}, {}, (journal) =>
      writeFileSync(join(journal, passwordFile), `${mailPassword}\n`, { mode: 0o600 }),
    );
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    system.think("[channel: mail", async (conversation) => {
      if (conversation.last.includes("HERON")) {
        asked.resolve();
        await held.promise;
      }
      return answers(conversation);
    });
    /** Ada writes. Returns the mail's Message-ID. */
    const write = (text: string, references: string[] = []) => {
      const messageId = newMessageId();
      imap.deliver(writtenMail({ text, references, messageId }));
      return messageId;
    };
    const agentIn = (thread: string) =>
      system.agentOf({ type: "mail", channelId: ada, userId: ada, replyTo: thread.slice(1, -1) });
    const answerTo = (word: string) =>
      system.until(() => smtp.sent.find(({ mail }) => mail.text?.includes(`Heard ${word}.`)), `${word} is answered`);

    const birds = write("HERON");
    await asked.promise;
    const agent = await agentIn(birds);
    write("IBIS", [birds]);
    const second = write("EGRET", [birds]);
    const waits = (word: string) => waitingOf(system.journal, agent).some(({ text }) => text.includes(word));
    await system.until(() => waits("IBIS") && waits("EGRET"), "two mails wait for the end of the turn");
    const other = write("TERN");
    // Another thread's agent doesn't wait for that turn.
    expect((await answerTo("TERN")).mail.inReplyTo).toBe(other);
    held.resolve();
    for (const word of ["HERON", "IBIS", "EGRET"]) await answerTo(word);
    expect((await answerTo("EGRET")).mail).toMatchObject({
      inReplyTo: second,
      references: expect.stringContaining(birds) as string,
    });

    const firstCalls = system.asked.filter(({ results, last }) => results.length === 0 && wordsIn(last).length > 0);
    const told = ({ last, said }: Conversation) => `${wordsIn(last).join()} behind ${wordsIn(said.join()).join()}`;
    const expected = [
      "HERON behind HERON",
      "IBIS behind HERON,IBIS",
      "EGRET behind HERON,IBIS,EGRET",
      "TERN behind TERN",
    ];
    expect(new Set(firstCalls.map(told))).toEqual(new Set(expected));
    expect(await agentIn(other)).not.toBe(agent);
  });
});

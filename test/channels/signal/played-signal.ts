/** Signal for the common table of tests, by its played daemon. */
import { setTimeout as delay } from "node:timers/promises";
import type { Person, PlayedFile, PlayedService } from "../table/played-service.ts";
import { type Account, ada, bob, ownNumber, PlayedSignalCli } from "./played-signal-cli.ts";

const carla: Account = { number: null, uuid: "cccccccc-1111-4222-8333-444444444444", name: "Carla" };

/** The owner is known by a number, the others by their ids. */
const person = ({ number, uuid }: Account): Person => {
  const id = number ?? uuid;
  return { userId: id, channelId: id };
};

type Written = { text: string; timestamp: number; from: Account };

export async function playSignal(): Promise<PlayedService> {
  const daemon = await PlayedSignalCli.start();
  let isOver = false;
  const accountOf = ({ userId }: Person) => [ada, bob, carla].find((one) => person(one).userId === userId) ?? ada;
  const isTo = (who: Person) => (one: { to: string }) => one.to === who.channelId;
  const eyes = (timestamp: number) =>
    daemon.called("sendReaction").some(({ targetTimestamp }) => targetTimestamp === timestamp);
  const tell = ({ text, ...options }: Written, file?: PlayedFile) => {
    if (!file) return daemon.write(text, options);
    daemon.files.set(file.name, file.bytes);
    const attachment = { id: file.name, filename: file.name, contentType: file.mime, size: file.bytes.length };
    return daemon.write(text, { ...options, attachments: [attachment] });
  };
  return {
    type: "signal",
    settings: { url: daemon.url, number: ownNumber },
    secrets: {},
    isThere: async () => {
      while (!daemon.isHeard) await delay(10);
    },
    people: { owner: person(ada), others: { stranger: person(bob), newcomer: person(carla) } },
    // The daemon keeps nothing that it has told: what was under way when its listener died, a person writes again.
    write: async (who, text, file) => {
      const written = { text, timestamp: daemon.tick(), from: accountOf(who) };
      const isSeen = () => isOver || eyes(written.timestamp);
      while (!isSeen()) {
        // What nobody is there for waits at Signal's for who comes next.
        const listening = daemon.listenings + (daemon.isHeard ? 0 : 1);
        tell(written, file);
        while (!isSeen() && daemon.listenings <= listening) await delay(10);
      }
      return written;
    },
    repeat: (written) => void tell(written as Written),
    texts: (who) => daemon.sent.filter(isTo(who)).map(({ text }) => text),
    files: (who) => daemon.sent.filter(isTo(who)).flatMap(({ files }) => files),
    fail: (failure) => {
      const results = [{ type: "RATE_LIMIT_FAILURE", retryAfterSeconds: 1 }];
      const limit = { code: -5, message: "Failed to send message", results };
      daemon.fail("send", { limit, broken: "reset" as const, torn: "torn" as const }[failure]);
    },
    overtake: (who, older, later) => {
      const first = { text: older, timestamp: daemon.tick(), from: accountOf(who) };
      tell({ text: later, timestamp: daemon.tick(), from: accountOf(who) });
      tell(first);
      return first;
    },
    tearFile: () => daemon.fail("getAttachment", "torn"),
    drop: () => daemon.drop(),
    marked: "It is open at pier 4",
    decide: (who, question, decision) => {
      const asked = daemon.sent.find(({ text }) => text === question);
      daemon.react(decision === "allow" ? "👍" : "👎", asked?.timestamp ?? 0, accountOf(who));
    },
    [Symbol.asyncDispose]: () => {
      isOver = true;
      return daemon[Symbol.asyncDispose]();
    },
  };
}

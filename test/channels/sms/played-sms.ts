/** SMS for the common table of tests, by its played Twilio. */
import { setTimeout as delay } from "node:timers/promises";
import type { Person, PlayedFile, PlayedService } from "../table/played-service.ts";
import { accountSid, authToken, ownNumber, PlayedTwilio, publicUrl, type WriteOptions } from "./played-twilio.ts";

const person = (number: string): Person => ({ userId: number, channelId: number });

type Written = { text: string; options: WriteOptions };

export async function playSms(): Promise<PlayedService> {
  const twilio = await PlayedTwilio.start();
  const ended = new AbortController();
  /** The pictures that were sent, fetched as Twilio does. */
  const pictures = new Map<string, Buffer>();
  /** Twilio posts a message again until it is taken. */
  const post = async ({ text, options }: Written) => {
    while (!ended.signal.aborted) {
      const answer = await twilio.write(text, options).catch(() => null);
      if (answer?.status === 200) return;
      await delay(50);
    }
  };
  twilio.onSent = async ({ sid, mediaUrl }) => {
    if (mediaUrl === null) return;
    const response = await fetch(twilio.behind(mediaUrl));
    pictures.set(sid, Buffer.from(await response.arrayBuffer()));
  };
  const isTo = (who: Person) => (one: { to: string }) => one.to === who.channelId;
  return {
    type: "sms",
    settings: {
      account_sid: accountSid,
      auth_token_file: "twilio-token",
      from: ownNumber,
      port: 0,
      public_url: publicUrl,
      api_url: twilio.url,
    },
    secrets: { "twilio-token": `${authToken}\n` },
    isThere: (url) => {
      twilio.webhook = url;
    },
    people: {
      owner: person("+491700000017"),
      others: { stranger: person("+491700000099"), newcomer: person("+491700000033") },
    },
    write: ({ userId }, text, file) => {
      const media = file ? [mediaOf(twilio, file)] : [];
      const options = { user: userId, media, sid: twilio.newSid(file ? "MM" : "SM") };
      void post({ text, options });
      return { text, options };
    },
    repeat: (written) => post(written as Written),
    texts: (who) => twilio.sent.filter(isTo(who)).map(({ text }) => text),
    files: (who) =>
      twilio.sent.filter(isTo(who)).flatMap(({ sid }) => {
        const bytes = pictures.get(sid);
        return bytes ? [{ name: "picture", bytes }] : [];
      }),
    fail: (failure) => twilio.fail(failures[failure]),
    // Twilio counts its messages up, and a webhook that it tries again comes behind a later one.
    overtake: async ({ userId: user }, older, later) => {
      const first = { text: older, options: { user, sid: twilio.newSid() } };
      await post({ text: later, options: { user } });
      await post(first);
      return first;
    },
    tearFile: () => (twilio.tearsFile = true),
    writeHalf: async ({ userId: user }, text) => {
      const sid = twilio.newSid();
      await twilio.writeHalf(text, user, sid);
      return { text, options: { user, sid } };
    },
    token: {
      file: "twilio-token",
      refuse: () => (twilio.token = "another"),
      accept: () => (twilio.token = authToken),
      why: "account_sid and auth_token aren't taken: Twilio: 401",
    },
    drop: () => twilio.drop(),
    marked: "It is open at pier 4",
    decide: async ({ userId }, question, decision) => {
      const code = /allow ([0-9a-f]{8})/.exec(question)?.[1] ?? "";
      await post({ text: `${decision} ${code}`, options: { user: userId } });
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await twilio[Symbol.asyncDispose]();
    },
  };
}

const failures = {
  limit: { status: 429, code: 20429, message: "Too Many Requests", headers: { "Retry-After": "1" } },
  broken: "reset",
  torn: "torn",
} as const;

const mediaOf = (twilio: PlayedTwilio, { mime, bytes }: PlayedFile) => ({
  url: twilio.store({ content: bytes, type: mime }),
  type: mime,
});

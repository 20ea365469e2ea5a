/** The channel `webhook` for the common table of tests: a program that signs what it posts, and a receiver. */
import { setTimeout as delay } from "node:timers/promises";
import type { Attachment, OutboundMessage } from "../../../protocol/agents/channel.ts";
import { secret, secretFile } from "../channel-system.ts";
import { postHalf } from "../../support/network/torn.ts";
import { Receiver } from "../receiver.ts";
import type { Person, PlayedService } from "../table/played-service.ts";
import { signedHeaders, signedRequest } from "./signed-request.ts";

const failures = {
  limit: { status: 429, headers: { "retry-after": "1" } },
  broken: "reset",
  torn: "torn",
} as const;

const person = (name: string): Person => ({ userId: name, channelId: `room-of-${name}` });

export async function playWebhook(): Promise<PlayedService> {
  const receiver = await Receiver.start();
  const stopping = new AbortController();
  const doing: Promise<unknown>[] = [];
  const files: { name: string; bytes: Buffer; channelId: string }[] = [];
  const fetched = new Set<string>();
  let base = "";
  let count = 0;
  /** Until it is stored, as a program does that wants it to arrive: the adapter may be away. */
  const insist = async (path: string, body: object, agoSeconds = 0): Promise<void> => {
    const id = `msg_table_${++count}`;
    while (!stopping.signal.aborted) {
      const response = await signedRequest(new URL(path, base).href, JSON.stringify(body), { id, agoSeconds }).catch(
        () => null,
      );
      await response?.text();
      if (response && [200, 202, 409].includes(response.status)) return;
      await delay(20, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const read: OutboundMessage[] = [];
  const sent = () => {
    for (const { body } of receiver.taken.slice(read.length)) read.push(JSON.parse(body) as OutboundMessage);
    return read;
  };
  const fetchFile = async ({ id = "", name = "" }: Attachment, channelId: string) => {
    const response = await signedRequest(new URL(`/v1/attachments/${id}`, base).href, "", { method: "GET" });
    files.push({ name, bytes: Buffer.from(await response.arrayBuffer()), channelId });
  };
  return {
    type: "webhook",
    settings: { port: 0, secret_file: secretFile, url: receiver.url },
    secrets: { [secretFile]: `${secret}\n` },
    isThere: (url) => void (base = url),
    people: { owner: person("ada"), others: { stranger: person("eve"), newcomer: person("mira") } },
    write: (who, text, file) => {
      const attachments = file && [{ name: file.name, mime: file.mime, data: file.bytes.toString("base64") }];
      const message = { id: `wh${++count}`, text, ...who, ...(attachments && { attachments }) };
      doing.push(insist("/", message));
      return message;
    },
    repeat: (written) => insist("/", written as object),
    texts: (who) => sent().flatMap(({ text, channel }) => (channel.channelId === who.channelId ? [text] : [])),
    files: (who) => {
      for (const { id, channel, attachments = [] } of sent())
        for (const file of attachments)
          if (file.id !== undefined && !fetched.has(id)) {
            fetched.add(id);
            doing.push(fetchFile(file, channel.channelId));
          }
      return files.filter(({ channelId }) => channelId === who.channelId);
    },
    fail: (failure) => void receiver.answers.push(failures[failure]),
    overtake: async (who, older, later) => {
      await insist("/", { id: `wh${++count}`, text: later, ...who });
      const first = { id: `wh${++count}`, text: older, ...who };
      await insist("/", first, 60);
      return first;
    },
    writeHalf: async (who, text) => {
      const message = { id: `wh${++count}`, text, ...who };
      const body = JSON.stringify(message);
      await postHalf(base, signedHeaders(body), body);
      return message;
    },
    drop: () => receiver.drop(),
    marked: "It is **open** at `pier 4`",
    decide: async ({ userId }, _question, decision) => {
      const listed = await signedRequest(new URL("/v1/permissions", base).href, "", { method: "GET" });
      const { permissions } = (await listed.json()) as { permissions: { id: string }[] };
      const id = permissions[0]?.id ?? "";
      await insist(`/v1/permissions/${id}`, { id, userId, decision });
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.allSettled(doing);
      await receiver[Symbol.asyncDispose]();
    },
  };
}

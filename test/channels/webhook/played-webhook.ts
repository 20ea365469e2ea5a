/** The channel `webhook` for the common table of tests: a program that signs what it posts, and a receiver. */
import { setTimeout as delay } from "node:timers/promises";
import type { Attachment, OutboundMessage } from "../../../protocol/agents/channel.ts";
import { secret, secretFile } from "../channel-system.ts";
import { Receiver } from "../receiver.ts";
import type { Person, PlayedService } from "../table/played-service.ts";
import { signedRequest } from "./signed-request.ts";

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
  const insist = async (path: string, body: object): Promise<void> => {
    const id = `msg_table_${++count}`;
    while (!stopping.signal.aborted) {
      const response = await signedRequest(new URL(path, base).href, JSON.stringify(body), { id }).catch(() => null);
      await response?.text();
      if (response && [200, 202, 409].includes(response.status)) return;
      await delay(20, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const sent = () => receiver.taken.map(({ body }) => JSON.parse(body) as OutboundMessage);
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
    fail: (failure) =>
      void receiver.answers.push(failure === "broken" ? "reset" : { status: 429, headers: { "retry-after": "1" } }),
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

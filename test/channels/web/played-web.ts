/** The channel `web` for the common table of tests: a program that posts messages and listens to events. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { postHalf } from "../../support/network/torn.ts";
import { EventReader } from "../sse.ts";
import type { PlayedService } from "../table/played-service.ts";

export function playWeb(): PlayedService {
  const owner = { userId: "token", channelId: "main" };
  const heard: OutboundMessage[] = [];
  const files: { name: string; bytes: Buffer }[] = [];
  const doing: Promise<unknown>[] = [];
  const stopping = new AbortController();
  let [base, token, last] = ["", "", "0"];
  let reader: EventReader | undefined;

  const ask = async (path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) };
    const sent = { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) };
    const response = await fetch(`${base}${path}`, sent);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  /** Until it works: the program may be away. */
  const insist = async (path: string, body: object): Promise<void> => {
    while (!stopping.signal.aborted)
      try {
        await (await ask(path, body)).text();
        return;
      } catch {
        await delay(20, undefined, { signal: stopping.signal }).catch(() => {});
      }
  };
  const take = async (message: OutboundMessage) => {
    heard.push(message);
    for (const { id, name = "" } of message.attachments ?? [])
      if (id !== undefined)
        files.push({ name, bytes: Buffer.from(await (await ask(`/v1/attachments/${id}`)).arrayBuffer()) });
  };
  /** Listens until the connection breaks, and then on behind what was heard. */
  const listen = async () => {
    while (!stopping.signal.aborted) {
      const listening = await EventReader.open(`${base}/v1/events`, token, { "Last-Event-ID": last }).catch(() => null);
      reader = listening ?? undefined;
      let read = 0;
      while (listening && !stopping.signal.aborted && !(listening.isOver && read === listening.events.length)) {
        for (; read < listening.events.length; read++) {
          const { id, event, data } = listening.events[read] ?? { id: "", event: "", data: "" };
          last = id === "" ? last : id;
          if (event === "reply") doing.push(take(JSON.parse(data) as OutboundMessage));
        }
        await delay(10);
      }
      await listening?.[Symbol.asyncDispose]();
      await delay(10);
    }
  };
  let count = 0;
  return {
    type: "web",
    settings: { port: 0 },
    secrets: {},
    isThere: (url, journal) => {
      token = readFileSync(join(journal, ".run/web-token"), "utf8").trim();
      if (base === "") doing.push(Promise.resolve().then(listen));
      base = url;
    },
    people: { owner },
    write: (_who, text, file) => {
      const attachments = file && [{ name: file.name, mime: file.mime, data: file.bytes.toString("base64") }];
      const message = { id: `w${++count}`, text, ...(attachments && { attachments }) };
      doing.push(insist("/v1/messages", message));
      return message;
    },
    repeat: (written) => insist("/v1/messages", written as object),
    writeHalf: async (_who, text) => {
      const message = { id: `w${++count}`, text };
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      await postHalf(`${base}/v1/messages`, headers, JSON.stringify(message));
      return message;
    },
    texts: () => heard.map(({ text }) => text),
    files: () => files,
    drop: () => void reader?.[Symbol.asyncDispose](),
    marked: "It is **open** at `pier 4`",
    decide: async (_who, _question, decision) => {
      const { permissions } = (await (await ask("/v1/permissions")).json()) as { permissions: { id: string }[] };
      await insist(`/v1/permissions/${permissions[0]?.id}`, { decision });
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await reader?.[Symbol.asyncDispose]();
      await Promise.allSettled(doing);
    },
  };
}

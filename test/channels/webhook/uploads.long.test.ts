/** Files that are posted to the webhook: each signed, bounded while it is stored, and named by messages. */
import { createHash, createHmac } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { noisyPng } from "../../support/files/sample-files.ts";
import { patienceMs } from "../../support/patience.ts";
import { ChannelSystem, secret, secretFile } from "../channel-system.ts";
import { signedRequest } from "./signed-request.ts";

const system = await ChannelSystem.start({ webhook: { port: 0, secret_file: secretFile } });
afterAll(() => system[Symbol.asyncDispose]());
const url = await system.start("webhook").isReady();

let count = 0;
function signed(body: string | Uint8Array, key = secret): Record<string, string> {
  const [id, timestamp] = [`msg_upload_${++count}`, String(Math.floor(Date.now() / 1000))];
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

type Answer = { status: number; body: Record<string, unknown> };

async function send(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(new URL(path, url), { method: "POST", body, headers });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}
const say = (message: object) => {
  const body = JSON.stringify(message);
  return send("/", body, signed(body));
};
const stored = () =>
  readdirSync(join(system.journal, "attachments"), { recursive: true }).map((name) => String(name).slice(3));
const idOf = (content: Uint8Array | string) => createHash("sha256").update(content).digest("hex");

test("a file beyond the size of a message is posted on its own, named by a message, and given back", async () => {
  const content = new Uint8Array(noisyPng(1200));
  expect(content.length).toBeGreaterThan(1024 * 1024);
  const posted = await send("/v1/attachments?name=quay.png", content, {
    ...signed(content),
    "Content-Type": "image/png",
  });
  const file = { id: idOf(content), name: "quay.png", mime: "image/png", size: content.length };
  expect(posted).toEqual({ status: 201, body: file });
  expect(await say({ id: "with-file", text: "look", attachments: [{ id: file.id }] })).toMatchObject({ status: 202 });
  const heard = () => system.messages.find(({ id }) => id === "with-file");
  await system.until(heard, "the message");
  expect(heard()?.attachments).toEqual([file]);
  const given = await signedRequest(new URL(`/v1/attachments/${file.id}`, url).href, "", { method: "GET" });
  expect(Buffer.from(await given.arrayBuffer()).equals(content)).toBe(true);
});

test("a small file may come as JSON, or as plain text", async () => {
  const body = JSON.stringify({ name: "list.txt", data: Buffer.from("eggs").toString("base64") });
  const asJson = await send("/v1/attachments", body, { ...signed(body), "Content-Type": "application/json" });
  expect(asJson).toMatchObject({ status: 201, body: { id: idOf("eggs"), name: "list.txt", size: 4 } });
  const asText = await send("/v1/attachments?name=b.txt", "ham", { ...signed("ham"), "Content-Type": "text/plain" });
  expect(asText).toMatchObject({ status: 201, body: { id: idOf("ham"), name: "b.txt", mime: "text/plain" } });
});

test("a file without the right signature isn't stored, and one that isn't taken is refused with why", async () => {
  const content = "rows of nobody";
  const { "webhook-signature": own } = signed("another body");
  const refused: [number, RegExp, string, Record<string, string>][] = [
    [401, /expected the headers/, content, {}],
    [401, /webhook-signature: this isn't v1/, content, signed(content, "another secret of somebody")],
    [401, /webhook-signature: this isn't v1/, content, { ...signed(content), "webhook-signature": own ?? "" }],
    [400, /its kind isn't taken/, "\u007fELF\u0000\u0001", signed("\u007fELF\u0000\u0001")],
    [400, /it is empty/, "", signed("")],
  ];
  for (const [status, why, body, headers] of refused) {
    const answer = await send("/v1/attachments?name=n.csv", body, { ...headers, "Content-Type": "text/csv" });
    expect(answer).toEqual({ status, body: { error: expect.stringMatching(why) } });
  }
  const broken = JSON.stringify({ name: "a", data: "no*base64" });
  expect(
    await send("/v1/attachments", broken, { ...signed(broken), "Content-Type": "application/json" }),
  ).toMatchObject({ status: 400, body: { error: expect.stringContaining("its data isn't base64") } });
  const unsigned = await send("/v1/attachments", broken, { "Content-Type": "application/json" });
  expect(unsigned.status).toBe(401);
  const large = "rows of a large table\n".repeat(60_000);
  const limited = { channels: { webhook: { port: 0, secret_file: secretFile } }, attachments: { max_mb: 1 } };
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify(limited));
  expect(await send("/v1/attachments", large, { ...signed(large), "Content-Type": "text/csv" })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("1 MiB") },
  });
  system.configure(limited.channels);
  expect(stored()).not.toContain(idOf(content));
  expect(stored().filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a file of a message that can't be taken is refused with its field and why", async () => {
  const data = Buffer.from("eggs").toString("base64");
  const large = Buffer.alloc(600 * 1024, "x").toString("base64");
  for (const [attachments, why] of [
    [
      [
        { name: "a.txt", data },
        { name: "b.txt", data: "no*base64" },
      ],
      /attachments\[1\] "b.txt".*its data isn't base64/,
    ],
    [[{ name: "c.txt", data: large }], /attachments\[0\] "c.txt".*more than 512 KiB.*POST \/v1\/attachments/],
    [[{ id: "0".repeat(64) }], /attachments\[0\].*nothing is stored under that id/],
    [[{ name: "d.txt" }], /attachments\.0: expected one of id, path and data/],
    [[{ path: "cortex.json" }], /attachments\[0\]\.path: .*send the content as data .*POST \/v1\/attachments/],
  ] as const) {
    const answer = await say({ id: "refused", text: "look", attachments });
    expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(why) } });
  }
  expect(await say({ id: "refused", text: "at last", attachments: [{ name: "a.txt", data }] })).toMatchObject({
    status: 202,
  });
  const heard = () => system.messages.filter(({ id }) => id === "refused");
  await system.until(() => heard().length > 0, "the message that is right");
  expect(heard()).toMatchObject([{ text: "at last", attachments: [{ id: idOf("eggs"), name: "a.txt" }] }]);
  expect(JSON.stringify(system.messages)).not.toContain(data);
});

test("a signature is for one address alone, as often as it is tried there", async () => {
  const body = JSON.stringify({ text: "the words of a file" });
  const headers = signed(body);
  const upload = () => send("/v1/attachments?name=words.json", body, { ...headers, "Content-Type": "text/plain" });
  expect((await upload()).status).toBe(201);
  expect((await upload()).status).toBe(201);
  const elsewhere = { status: 401, body: { error: expect.stringContaining("was used for another address") } };
  expect(await send("/", body, headers)).toEqual(elsewhere);
  const nothing = signed("");
  const get = async (path: string): Promise<Answer> => {
    const response = await fetch(new URL(path, url), { headers: nothing });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };
  expect((await get("/v1/agents/main/history?limit=1")).status).toBe(403);
  expect(await get("/v1/permissions")).toEqual(elsewhere);
  expect(await get("/v1/agents/main/history?limit=2")).toEqual(elsewhere);
  expect((await get("/v1/agents/main/history?limit=1")).status).toBe(403);
});

test("files that strangers begin to send take eight places, and none of a message", async () => {
  const refused = Promise.withResolvers<number | undefined>();
  const begun = Array.from({ length: 9 }, () => {
    const slow = request(new URL("/v1/attachments", url), { method: "POST", headers: { "Content-Type": "text/csv" } });
    slow.on("error", () => {});
    slow.on("response", ({ statusCode }) => refused.resolve(statusCode));
    slow.write("rows");
    return slow;
  });
  expect(await refused.promise).toBe(429);
  const upload = () => send("/v1/attachments", "mine", { ...signed("mine"), "Content-Type": "text/csv" });
  const mine = await upload();
  expect(mine).toMatchObject({ status: 429, body: { error: expect.stringContaining("8 files are being stored") } });
  expect(await say({ text: "still here" })).toMatchObject({ status: 202 });
  for (const slow of begun) slow.destroy();
  let { status } = mine;
  for (const end = performance.now() + patienceMs; status === 429 && performance.now() < end; await delay(20))
    ({ status } = await upload());
  expect(status).toBe(201);
});

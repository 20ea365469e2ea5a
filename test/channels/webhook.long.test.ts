/** The webhook, both ways: what is signed is taken once, and what goes out arrives once or is told. */
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publishInbound, publishReceipt } from "../../bus/agents/inbound.ts";
import { keepQuestion } from "../../journal/permissions/questions.ts";
import { ownPort } from "../support/network/own-port.ts";
import { type AdapterProgram, ChannelSystem, outbound, secret, secretFile } from "./channel-system.ts";
import { type Answer, Receiver } from "./receiver.ts";

const now = () => Math.floor(Date.now() / 1000);

let deliveries = 0;

function signed(body: string, timestamp = now(), key: string | Buffer = secret, id = `msg_${deliveries++}`) {
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": `v1,${signature}` };
}

/** The headers of the version before. */
function formerlySigned(body: string, timestamp = now(), key = secret): Record<string, string> {
  const signature = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
  return { "X-Cortex-Timestamp": String(timestamp), "X-Cortex-Signature": `sha256=${signature}` };
}

async function post(url: string, body: string, headers: Record<string, string> = signed(body)) {
  const response = await fetch(url, { method: "POST", body, headers });
  return { status: response.status, answer: (await response.json()) as { id?: string; error?: string } };
}

const deep = `{"text":"x","metadata":${"[".repeat(6000)}${"]".repeat(6000)}}`;
const settings = { webhook: { port: 0, secret_file: secretFile } };

test("a signed message is stored before it is answered; a replay is refused, also after a restart", async () => {
  await using system = await ChannelSystem.start(settings);
  const first = system.start("webhook");
  const url = await first.isReady();
  const body = JSON.stringify({ text: "hello", userId: "17", channelId: "ops" });
  const headers = signed(body);
  const { status, answer } = await post(url, body, headers);
  expect(status).toBe(202);
  expect(await post(url, body, headers)).toMatchObject({ status: 409, answer: { id: answer.id } });
  const own = JSON.stringify({ id: "my-id", text: "again" });
  expect(await post(url, own)).toMatchObject({ status: 202, answer: { id: "my-id" } });
  expect((await post(url, own, signed(own, now() - 5))).status).toBe(409);
  await first.kill();
  const again = await system.start("webhook").isReady();
  expect((await post(again, body, headers)).status).toBe(409);
  // A sender that tries again signs anew, with the same webhook-id.
  expect((await post(again, body, signed(body, now() + 1, secret, headers["webhook-id"]))).status).toBe(409);
  await system.until(() => system.messages.length >= 2, "both");
  expect(system.messages).toEqual([
    {
      id: answer.id,
      text: "hello",
      channel: { type: "webhook", channelId: "ops", userId: "17" },
    },
    { id: "my-id", text: "again", channel: { type: "webhook", channelId: "main", userId: "webhook" } },
  ]);
});

test("what waits for a person is listed and answered by signed requests, where an owner is on the channel", async () => {
  await using system = await ChannelSystem.start(settings);
  const url = await system.start("webhook").isReady();
  const { journal } = system;
  const call = { tool: "bash", args: { command: "npm publish" }, why: "a rule asks for it", rules: [] };
  const question = { id: "c0ffee", run: "1736380800000", ts: Date.now(), expires: Date.now() + 60_000, ...call };
  await keepQuestion(journal, question);
  await keepQuestion(journal, { ...question, id: "decaf", decision: "deny", by: "cli:main" });
  const list = async (headers: Record<string, string> = signed("")) => {
    const response = await fetch(`${url}/v1/permissions`, { headers });
    return { status: response.status, answer: (await response.json()) as unknown };
  };
  const decide = async (id: string, body: object, headers?: Record<string, string>) => {
    const text = JSON.stringify(body);
    return (await post(`${url}/v1/permissions/${id}`, text, headers ?? signed(text))).status;
  };
  const allow = { id: "c0ffee", decision: "allow" };
  expect((await list()).status).toBe(403);
  expect(await decide("c0ffee", allow)).toBe(403);
  system.configure(settings, { owners: ["webhook:ada", "telegram:17"] });
  expect(await list()).toEqual({
    status: 200,
    answer: { permissions: [{ id: "c0ffee", agent_id: question.run, expires: question.expires, ...call }] },
  });
  expect((await list({})).status).toBe(401);
  expect(await decide("c0ffee", allow, signed("{}"))).toBe(401);
  expect(await decide("c0ffee", { ...allow, userId: "17" })).toBe(403);
  // A signature says nothing of the address: it doesn't hold for another question.
  expect(await decide("decaf", allow)).toBe(400);
  expect(await decide("c0ffee", { decision: "allow" })).toBe(400);
  expect(await decide("decaf", { id: "decaf", decision: "allow" })).toBe(409);
  expect(await decide("nobody", { id: "nobody", decision: "allow" })).toBe(404);
  expect(await decide("c0ffee", { ...allow, always: true })).toBe(400);
  expect(await decide("c0ffee", { ...allow, userId: "ada" })).toBe(202);
  await system.until(() => system.decisions.length > 0, "the decision");
  expect(system.decisions).toMatchObject([
    { token: "c0ffee", decision: { decision: "allow", userId: "ada", channelType: "webhook" } },
  ]);
  // The rule that always would keep is listed before it is.
  const rules = [{ tool: "bash", match: "npm test", decide: "allow" as const }];
  await keepQuestion(journal, { ...question, id: "decade", rules });
  const { permissions } = (await list()).answer as { permissions: unknown[] };
  expect(permissions).toContainEqual(expect.objectContaining({ id: "decade", rules }));
  expect(await decide("decade", { id: "decade", decision: "allow", always: true, userId: "ada" })).toBe(202);
  await system.until(() => system.decisions.length > 1, "the second decision");
  expect(system.decisions[1]).toMatchObject({ token: "decade", decision: { decision: "allow", always: true } });
});

test("a full channel answers 429 with when to come again, and no other channel is full", async () => {
  await using system = await ChannelSystem.start({ ...settings, sms: { external: true } });
  const [webhook, web] = [system.start("webhook"), system.start("web")];
  const [url, page] = [await webhook.isReady(), await web.isReady()];
  await system.stopHearing();
  const bus = await system.server.as("channel-webhook");
  const text = "x".repeat(200_000);
  const fill = async () => {
    for (let n = 0; n < 1000; n++)
      await publishInbound(bus, { id: `fill-${n}`, text, channel: { type: "webhook", channelId: "main" } });
  };
  await expect(fill()).rejects.toThrow(/^the channel webhook is full: .* send it again in 30 s/);
  const body = JSON.stringify({ text, userId: "17" });
  const refused = await fetch(url, { method: "POST", body, headers: signed(body) });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("Retry-After")).toBe("30");
  expect(((await refused.json()) as { error: string }).error).toContain("the channel webhook is full");
  const token = readFileSync(join(system.journal, ".run/web-token"), "utf8").trim();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const post = (text: string) =>
    fetch(`${page}/v1/messages`, { method: "POST", headers, body: JSON.stringify({ text }) });
  expect((await post("still here")).status).toBe(202);
  await publishReceipt(bus, "r1", { ok: true });
  // Six bytes each on the bus: more than it takes, now and ever.
  const tooLarge = await post("\u0001".repeat(250_000));
  expect(tooLarge.status).toBe(413);
  expect(((await tooLarge.json()) as { error: string }).error).toContain("is too large");
});

test("an unsigned, old, broken or too long message is refused with the reason", async () => {
  await using system = await ChannelSystem.start(settings);
  const url = await system.start("webhook").isReady();
  const body = JSON.stringify({ text: "hello" });
  const headers = signed(body);
  const former = formerlySigned(body);
  const refused: [number, string, Record<string, string>][] = [
    [401, body, {}],
    [401, body, signed(body, now(), "another secret")],
    [401, body, signed(body, now() - 400)],
    [401, body, signed(body, now() + 400)],
    [401, `${body} `, signed(body)],
    [401, body, { ...headers, "webhook-signature": headers["webhook-signature"].slice(0, -1) }],
    [401, body, { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") }],
    [401, body, { ...headers, "webhook-timestamp": String(now() + 1) }],
    [401, body, { ...headers, "webhook-id": "another" }],
    [401, body, { ...former, "webhook-signature": "v1," }],
    [401, body, formerlySigned(body, now() - 400)],
    [401, body, formerlySigned(body, now(), "another secret")],
    [401, body, { ...former, "X-Cortex-Timestamp": String(now() + 1) }],
    [400, "{", signed("{")],
    [400, deep, signed(deep)],
    [400, '{"text":1}', signed('{"text":1}')],
    [400, '{"text":""}', signed('{"text":""}')],
    [400, '{"text":"","attachments":[]}', signed('{"text":"","attachments":[]}')],
    [400, '{"id":"a.b","text":"x"}', signed('{"id":"a.b","text":"x"}')],
  ];
  for (const [status, sent, headers] of refused) {
    const got = await post(url, sent, headers);
    expect([got.status, typeof got.answer.error, sent]).toEqual([status, "string", sent]);
  }
  const long = JSON.stringify({ text: "x".repeat(1024 * 1024) });
  expect((await post(url, long)).status).toBe(413);
  expect((await fetch(`${url}/other`)).status).toBe(404);
  const two = { ...headers, "webhook-signature": `v1,of-another-key v1a,asymmetric ${headers["webhook-signature"]}` };
  expect(await post(url, body, two)).toMatchObject({ status: 202, answer: { id: headers["webhook-id"] } });
  await system.until(() => system.messages.length > 0, "the good one");
  expect(system.messages).toHaveLength(1);
});

test("a message goes out signed, with its id as its key, and its sender hears that it arrived", async () => {
  await using receiver = await Receiver.start();
  await using system = await ChannelSystem.start({ webhook: { ...settings.webhook, url: receiver.url } });
  await system.start("webhook").isReady();
  const message = outbound("o1", "webhook", "grüß dich");
  await system.say(message);
  expect(await system.receipt("o1")).toEqual({ ok: true });
  const [posted] = receiver.posted;
  expect(JSON.parse(posted?.body ?? "")).toEqual(message);
  expect(posted?.headers["idempotency-key"]).toBe("o1");
  const timestamp = Number(posted?.headers["webhook-timestamp"]);
  const body = posted?.body ?? "";
  expect(posted?.headers).toMatchObject(signed(body, timestamp, secret, "o1"));
  const former = Object.entries(formerlySigned(body, timestamp)).map(([name, value]) => [name.toLowerCase(), value]);
  expect(posted?.headers).toMatchObject(Object.fromEntries(former));
});

test("the headers of the version before are accepted, and a replay of them is refused", async () => {
  await using system = await ChannelSystem.start(settings);
  const url = await system.start("webhook").isReady();
  const body = JSON.stringify({ text: "as before" });
  const headers = formerlySigned(body);
  const { status, answer } = await post(url, body, headers);
  expect(status).toBe(202);
  expect(await post(url, body, headers)).toMatchObject({ status: 409, answer: { id: answer.id } });
});

test("a refusal is final, what surely didn't arrive is tried again, and what may have arrived is unknown", async () => {
  await using receiver = await Receiver.start();
  await using system = await ChannelSystem.start({ webhook: { ...settings.webhook, url: receiver.url } });
  await system.start("webhook").isReady();
  receiver.answers.push(
    { status: 404 },
    { status: 503 },
    { status: 429, headers: { "Retry-After": "1" } },
    { status: 200 },
    { status: 429, headers: { "Retry-After": "3600" } },
    { status: 500 },
    "reset",
  );
  for (const id of ["refused", "patient", "too-long", "broken", "reset", "last"])
    await system.say(outbound(id, "webhook"));
  expect(await system.receipt("last")).toEqual({ ok: true });
  expect(await system.receipt("refused")).toEqual({ ok: false, error: `127.0.0.1:${receiver.port} answered 404` });
  expect(await system.receipt("patient")).toEqual({ ok: true });
  expect(await system.receipt("too-long")).toMatchObject({ ok: false, error: expect.stringContaining("3600 s") });
  expect(await system.receipt("broken")).toMatchObject({ ok: false, unknown: true });
  expect(await system.receipt("reset")).toMatchObject({ ok: false, unknown: true });
  expect(receiver.ids).toEqual(["refused", "patient", "patient", "patient", "too-long", "broken", "reset", "last"]);
});

test("a message to an address where nobody listens arrives when somebody does, also over a restart of the adapter", async () => {
  const port = await ownPort();
  await using system = await ChannelSystem.start({
    webhook: { ...settings.webhook, url: `http://127.0.0.1:${port}/hook` },
  });
  const first = system.start("webhook");
  await first.isReady();
  await system.say(outbound("o1", "webhook"));
  await system.until(() => first.log.includes("tried again"), "it was tried");
  await first.stop();
  await using receiver = await Receiver.start(port);
  await system.start("webhook").isReady();
  expect(await system.receipt("o1")).toEqual({ ok: true });
  expect(receiver.ids).toEqual(["o1"]);
});

test("told to stop while a message is on its way, it waits for the answer and says what became of it", async () => {
  await using receiver = await Receiver.start();
  await using system = await ChannelSystem.start({ webhook: { ...settings.webhook, url: receiver.url } });
  const program = system.start("webhook");
  await program.isReady();
  const held = Promise.withResolvers<Answer>();
  receiver.answers.push(held.promise);
  await system.say(outbound("o1", "webhook"));
  await system.until(() => receiver.posted.length > 0, "it is on its way");
  const stopped = program.stop();
  await system.until(() => program.log.includes("stopping"), "it was told");
  held.resolve({ status: 200 });
  expect(await stopped).toBe(0);
  expect(await system.receipt("o1")).toEqual({ ok: true });
});

test("nothing goes out without an address, and that is told", async () => {
  await using system = await ChannelSystem.start(settings);
  await system.start("webhook").isReady();
  await system.say(outbound("o1", "webhook"));
  expect(await system.receipt("o1")).toMatchObject({
    ok: false,
    error: expect.stringContaining("channels.webhook.url"),
  });
});

test("a secret that can be guessed is taken, and warned of without being told", async () => {
  await using system = await ChannelSystem.start(settings);
  writeFileSync(join(system.journal, secretFile), "guess-me\n", { mode: 0o600 });
  const program = system.start("webhook");
  const url = await program.isReady();
  const body = JSON.stringify({ text: "hello" });
  expect((await post(url, body, signed(body, now(), "guess-me"))).status).toBe(202);
  await system.until(() => program.log.includes("shorter than 16 bytes"), "the warning");
  expect(program.log).toContain("openssl rand");
  expect(program.log).not.toContain("guess-me");
});

test.each([
  ["no secret", {}, "set channels.webhook.secret_file or channels.webhook.secret_env"],
  ["a secret that others can read", { secret_file: "cortex.json" }, "chmod 600"],
  ["a variable that isn't there", { secret_env: "NO_SUCH" }, "channels.webhook.secret_env (NO_SUCH)"],
])("%s: it isn't started again before somebody has mended it", async (_, own, words) => {
  await using system = await ChannelSystem.start({ webhook: own });
  const program: AdapterProgram = system.start("webhook");
  expect(await program.exited).toBe(125);
  expect(program.log).toContain(words);
});

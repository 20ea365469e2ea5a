/** The web channel: what is said to agents, and what they say, for whoever has the token and nobody else. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { noisyPng } from "../support/files/sample-files.ts";
import { keepQuestion } from "../../journal/permissions/questions.ts";
import { statusOfLongPost } from "../support/network/long-post.ts";
import { ownPort } from "../support/network/own-port.ts";
import { ChannelSystem, outbound } from "./channel-system.ts";
import { EventReader } from "./sse.ts";

async function started(env: Record<string, string> = {}) {
  const system = await ChannelSystem.start({});
  const program = system.start("web", env);
  const url = await program.isReady();
  const token = readFileSync(join(system.journal, ".run/web-token"), "utf8").trim();
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, answer: (await response.json()) as { id?: string; error?: string } };
  };
  return { system, program, url, token, post, [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() };
}

/** For tests that neither end the program nor need a channel that has said nothing yet. */
const web = await started();
afterAll(() => web[Symbol.asyncDispose]());

test("a posted message is stored before it is answered, the same id once, under the token holder's name", async () => {
  expect(await web.post({ text: "hello", id: "m1" })).toEqual({ status: 202, answer: { id: "m1" } });
  expect(await web.post({ text: "hello", id: "m1" })).toEqual({ status: 202, answer: { id: "m1" } });
  const made = await web.post({ text: "there", channelId: "room", replyTo: "t1", userId: "owner" });
  expect(made.status).toBe(202);
  const stored = () => web.system.messages.filter(({ id }) => id === "m1" || id === made.answer.id);
  await web.system.until(() => stored().length >= 2, "both");
  expect(stored()).toEqual([
    { id: "m1", text: "hello", channel: { type: "web", channelId: "main", userId: "token" } },
    {
      id: made.answer.id,
      text: "there",
      channel: { type: "web", channelId: "room", userId: "token", replyTo: "t1" },
    },
  ]);
});

test("a body that is none is refused with what is wrong", async () => {
  const before = web.system.messages;
  for (const body of [
    "",
    "{",
    "[]",
    "{}",
    '{"text":""}',
    '{"text":"","attachments":[]}',
    '{"text":1}',
    '{"text":"x","id":"a.b"}',
    '{"text":"x","channelId":""}',
  ])
    expect([body, (await web.post(body)).status]).toEqual([body, 400]);
  expect((await web.post({ text: 1 })).answer.error).toBe("text: expected string, got 1");
  expect((await web.post({ text: "x".repeat(3 * 1024 * 1024) })).status).toBe(413);
  expect((await web.post({ text: "x".repeat(300 * 1024) })).status).toBe(400);
  expect(web.system.messages).toEqual(before);
});

test("whoever is still sending a body that is too long is answered, and not cut off", async () => {
  expect(await statusOfLongPost(`${web.url}/v1/messages`, web.token)).toBe(413);
});

test("a file is stored by its content, goes with a message as its id, and comes back as a download", async () => {
  const send = (
    path: string,
    { headers, ...init }: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {},
  ) => fetch(`${web.url}${path}`, { ...init, headers: { Authorization: `Bearer ${web.token}`, ...headers } });
  const upload = (body: Uint8Array | string, type: string, name = "") =>
    send(`/v1/attachments?name=${encodeURIComponent(name)}`, {
      method: "POST",
      body,
      headers: { "Content-Type": type },
    });
  const content = new Uint8Array(noisyPng(1000));
  const made = await upload(content, "image/png", "../holi day.png");
  const stored = (await made.json()) as { id: string };
  expect([made.status, stored]).toEqual([
    201,
    { id: expect.stringMatching(/^[0-9a-f]{64}$/), name: "holi day.png", mime: "image/png", size: content.length },
  ]);
  const data = Buffer.from("eggs").toString("base64");
  const asJson = await upload(JSON.stringify({ name: "list.txt", data }), "application/json");
  expect([asJson.status, await asJson.json()]).toMatchObject([201, { name: "list.txt", mime: "text/plain", size: 4 }]);
  const words = "a line of words\n".repeat(100_000);
  const asText = await upload(words, "text/plain", "words.txt");
  expect([asText.status, await asText.json()]).toMatchObject([201, { mime: "text/plain", size: words.length }]);
  const attachments = [{ id: stored.id }, { name: "list.txt", data }];
  expect((await web.post({ text: "look", attachments })).status).toBe(202);
  const told = () => web.system.messages.find(({ text }) => text === "look");
  await web.system.until(told, "the message");
  expect(told()?.attachments).toMatchObject([stored, { name: "list.txt", mime: "text/plain" }]);
  expect((await web.post({ id: "alone", text: "", attachments: [{ id: stored.id }] })).status).toBe(202);
  const alone = () => web.system.messages.find(({ id }) => id === "alone");
  await web.system.until(alone, "the file without a word");
  expect(alone()).toMatchObject({ text: "", attachments: [stored] });
  expect(JSON.stringify(web.system.messages)).not.toContain(data);
  const given = await send(`/v1/attachments/${stored.id}`);
  expect(Buffer.from(await given.arrayBuffer()).equals(content)).toBe(true);
  expect(given.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''holi%20day.png");
  expect(given.headers.get("x-content-type-options")).toBe("nosniff");
  // What isn't taken is said, and is nobody's.
  const refused = await upload(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1]), "image/png");
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: expect.stringContaining("kind isn't taken") },
  ]);
  writeFileSync(join(web.system.journal, "cortex.json"), JSON.stringify({ attachments: { max_mb: 1 } }));
  const tooLarge = await upload(content, "image/png");
  expect([tooLarge.status, await tooLarge.json()]).toMatchObject([400, { error: expect.stringContaining("1 MiB") }]);
  web.system.configure({});
  expect(readdirSync(join(web.system.journal, "attachments")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect((await web.post({ text: "x", attachments: [{ path: ".run/web-token" }] })).status).toBe(400);
  expect((await send("/v1/attachments/..%2f..%2fcortex.json")).status).toBe(404);
  expect((await fetch(`${web.url}/v1/attachments/${stored.id}`)).status).toBe(401);
});

/** With any header, which fetch doesn't allow. */
function status(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      response.destroy();
    })
      .on("error", reject)
      .end();
  });
}

test("without the token nothing is told, a page of elsewhere gets nothing, and a token in the address is none", async () => {
  const { url, token } = web;
  const own = { Authorization: `Bearer ${token}` };
  expect(statSync(join(web.system.journal, ".run/web-token")).mode & 0o777).toBe(0o600);
  for (const [headers, expected] of [
    [{}, 401],
    [{ Authorization: "Bearer undefined" }, 401],
    [{ Authorization: `Bearer ${token}x` }, 401],
    [{ Authorization: `Basic ${token}` }, 401],
    [{ ...own, Origin: "http://evil.example" }, 403],
    [{ ...own, Host: "evil.example" }, 403],
    [own, 200],
    [{ ...own, Origin: url }, 200],
  ] as [Record<string, string>, number][])
    expect([headers, await status(`${url}/v1/events`, headers)]).toEqual([headers, expected]);
  expect(await status(`${url}/v1/events?token=${token}&access_token=${token}`, {})).toBe(401);
  expect(await status(`${url}/v1/elsewhere`, {})).toBe(401);
  expect(await status(`${url}/v1/elsewhere`, own)).toBe(404);
  expect(await status(`${url}/v1/health`, { Host: "evil.example" })).toBe(403);
  expect(await (await fetch(`${url}/v1/health`)).json()).toEqual({ ok: true, pid: web.program.pid });
  expect(web.program.log).not.toContain(token);
});

test("replies come as events, in their order, to all who listen; what was missed comes by the last id", async () => {
  await using web = await started();
  const { system, url, token } = web;
  await system.say(outbound("before", "web"));
  await system.receipt("before");
  await using one = await EventReader.open(`${url}/v1/events`, token);
  await using room = await EventReader.open(`${url}/v1/events?channelId=room`, token);
  expect([one.status, one.type]).toEqual([200, "text/event-stream"]);
  await system.say(outbound("a", "web", "two\nlines"));
  await system.say({ ...outbound("b", "web"), channel: { type: "web", channelId: "room" } });
  const [a, b] = await one.next(2);
  expect(a).toMatchObject({ event: "reply", data: JSON.stringify(outbound("a", "web", "two\nlines")) });
  expect(JSON.parse(b?.data ?? "")).toMatchObject({ id: "b" });
  expect((await room.next(1)).map(({ data }) => (JSON.parse(data) as { id: string }).id)).toEqual(["b"]);
  expect(await system.receipt("b")).toEqual({ ok: true });
  await using later = await EventReader.open(`${url}/v1/events`, token, { "Last-Event-ID": a?.id ?? "" });
  expect(await later.next(1)).toEqual([b]);
  await using first = await EventReader.open(`${url}/v1/events`, token, { "Last-Event-ID": "0" });
  expect((await first.next(3)).map(({ data }) => (JSON.parse(data) as { id: string }).id)).toEqual([
    "before",
    "a",
    "b",
  ]);
  expect(await web.program.stop()).toBe(0);
});

test("the channel listens where it did before it was killed, and whoever comes back hears what was said meanwhile", async () => {
  // Of all ports that are free, another program would be given this one while nobody listens on it.
  await using web = await started({ CORTEX_WEB_PORT: String(await ownPort()) });
  const { system, token } = web;
  await using one = await EventReader.open(`${web.url}/v1/events`, token);
  await system.say(outbound("a", "web"));
  const [a] = await one.next(1);
  await web.program.kill();
  await system.say(outbound("b", "web"));
  const url = await system.start("web").isReady();
  expect(url).toBe(web.url);
  await using again = await EventReader.open(`${url}/v1/events`, token, { "Last-Event-ID": a?.id ?? "" });
  expect(JSON.parse((await again.next(1))[0]?.data ?? "")).toMatchObject({ id: "b" });
  expect(await system.receipt("b")).toEqual({ ok: true });
});

test("a port that was asked for is taken, and another one where that isn't free", async () => {
  const port = await ownPort();
  await using web = await started({ CORTEX_WEB_PORT: String(port) });
  expect(web.url).toBe(`http://127.0.0.1:${port}`);
  await using other = await started({ CORTEX_WEB_PORT: String(port) });
  expect(other.url).not.toBe(web.url);
});

test("a listener that doesn't read slows nobody", async () => {
  const { system, url, token } = web;
  const { port } = new URL(url);
  const deaf = connect(Number(port), "127.0.0.1");
  deaf.write(`GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await new Promise((resolve) => deaf.once("data", resolve));
  deaf.pause();
  await using one = await EventReader.open(`${url}/v1/events`, token);
  const text = "x".repeat(200 * 1024);
  const ids = Array.from({ length: 40 }, (_, n) => `m${n}`);
  for (const id of ids) await system.say(outbound(id, "web", text));
  const heard = (await one.next(ids.length)).map(({ data }) => (JSON.parse(data) as { id: string }).id);
  expect(heard).toEqual(ids);
  for (const id of ids) await system.receipt(id);
  deaf.destroy();
});

test("what waits for a person is listed, and is answered once, by whoever has the token", async () => {
  const { journal } = web.system;
  const call = { tool: "bash", args: { command: "npm publish" }, why: "a rule asks for it", rules: [] };
  const question = { id: "c0ffee", run: "1736380800000", ts: Date.now(), expires: Date.now() + 60_000, ...call };
  await keepQuestion(journal, question);
  await keepQuestion(journal, { ...question, id: "decaf", decision: "deny", by: "cli:main" });
  const headers = { Authorization: `Bearer ${web.token}`, "Content-Type": "application/json" };
  const listed = await (await fetch(`${web.url}/v1/permissions`, { headers })).json();
  expect(listed).toEqual({
    permissions: [{ id: "c0ffee", agent_id: question.run, expires: question.expires, ...call }],
  });
  const decide = async (id: string, body: object) =>
    (await fetch(`${web.url}/v1/permissions/${id}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
  expect(await decide("decaf", { decision: "allow" })).toBe(409);
  expect(await decide("nobody", { decision: "allow" })).toBe(404);
  expect(await decide("..%2F..%2Fcortex", { decision: "allow" })).toBe(404);
  expect(await decide("c0ffee", { decision: "perhaps" })).toBe(400);
  expect(await decide("c0ffee", { decision: "allow", always: true })).toBe(400);
  expect(await decide("c0ffee", { decision: "allow" })).toBe(202);
  expect((await fetch(`${web.url}/v1/permissions`)).status).toBe(401);
});

test("the rule that always would keep is listed with its question, and goes with the answer", async () => {
  const rules = [{ tool: "bash", match: "npm test", decide: "allow" as const }];
  const call = { tool: "bash", args: { command: "npm test" }, why: "a rule asks for it", rules };
  const run = "1736380800000";
  await keepQuestion(web.system.journal, { id: "a1ways", run, ts: Date.now(), expires: Date.now() + 60_000, ...call });
  const headers = { Authorization: `Bearer ${web.token}`, "Content-Type": "application/json" };
  const listed = await (await fetch(`${web.url}/v1/permissions`, { headers })).json();
  expect(listed).toMatchObject({
    permissions: expect.arrayContaining([expect.objectContaining({ id: "a1ways", rules })]),
  });
  const body = JSON.stringify({ decision: "allow", always: true });
  const answer = await fetch(`${web.url}/v1/permissions/a1ways`, { method: "POST", headers, body });
  expect(answer.status).toBe(202);
  const decided = () => web.system.decisions.filter(({ token }) => token === "a1ways");
  await web.system.until(() => decided().length > 0, "it is decided");
  expect(decided()).toMatchObject([{ decision: { decision: "allow", always: true } }]);
});

test("the channel describes itself: each path answers as it says", async () => {
  const document = (await (await fetch(`${web.url}/openapi.json`)).json()) as {
    openapi: string;
    servers: { url: string }[];
    paths: Record<
      string,
      Record<string, { responses: object; requestBody?: { content: Record<string, { schema: object }> } }>
    >;
  };
  expect(document.openapi).toBe("3.1.0");
  expect(document.servers).toEqual([{ url: web.url }]);
  // Whoever resolves its references finds each.
  const { components } = document as unknown as { components: { schemas: object } };
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to);
  const known = Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(known).toEqual(expect.arrayContaining([...new Set(references)]));
  const paths = Object.keys(document.paths);
  expect(paths).toContain("/api/v1/workspaces/{w}/events");
  expect(paths.filter((path) => !path.startsWith("/api/v1/"))).toEqual([
    "/v1/messages",
    "/v1/attachments",
    "/v1/attachments/{id}",
    "/v1/agents/{id}/reset",
    "/v1/agents/{id}/stop",
    "/v1/agents/{id}/history",
    "/v1/permissions",
    "/v1/permissions/{id}",
    "/v1/events",
    "/v1/health",
    "/openapi.json",
    "/v1/models",
    "/v1/chat/completions",
    "/v1/responses",
  ]);
  const posted = document.paths["/v1/messages"]?.["post"];
  expect(posted?.requestBody?.content["application/json"]?.schema).toMatchObject({
    type: "object",
    required: ["text"],
    properties: { text: { type: "string" }, channelId: {}, replyTo: {}, id: {} },
  });
  expect(Object.keys(posted?.responses ?? {})).toEqual(["202", "400", "401", "403", "413", "429", "503"]);
  expect(JSON.stringify(document)).not.toContain(web.token);
});

test("the workspaces' API is behind the same address, opened by the first who asks, and refuses in its own words", async () => {
  const own = { Authorization: `Bearer ${web.token}` };
  expect(existsSync(join(web.system.journal, "workspace.db"))).toBe(false);
  const me = await fetch(`${web.url}/api/v1/me`, { headers: own });
  expect([me.status, await me.json()]).toMatchObject([200, { memberships: [{ role: "admin" }] }]);
  const commands = readFileSync(join(web.system.journal, ".run/commands-token"), "utf8").trim();
  expect((await fetch(`${web.url}/api/v1/me`, { headers: { Authorization: `Bearer ${commands}` } })).status).toBe(200);
  for (const [path, headers, status, code] of [
    ["/me", {}, 401, "unauthenticated"],
    ["/me", { ...own, Origin: "http://evil.example" }, 403, "forbidden"],
    ["/nothing", own, 404, "not_found"],
    ["/threads/%zz", own, 400, "invalid"],
  ] as [string, Record<string, string>, number, string][]) {
    const refused = await fetch(`${web.url}/api/v1${path}`, { headers });
    expect([path, refused.status, await refused.json()]).toMatchObject([path, status, { error: { code } }]);
  }
  expect(await status(`${web.url}/api/v1/me`, { ...own, Host: "evil.example" })).toBe(403);
  expect((await fetch(`${web.url}/v1/health?verbose=1`)).status).toBe(200);
});

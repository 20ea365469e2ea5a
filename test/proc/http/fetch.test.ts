import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { fetch } from "../../../proc/http/fetch.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { ownPort } from "../../support/network/own-port.ts";
import { failureOf } from "./failure-of.ts";

const never = new AbortController().signal;

const ok = (_: IncomingMessage, response: ServerResponse) => void response.end("ok");

test("a request arrives as it was meant, and its answer comes back", async () => {
  const heard: unknown[] = [];
  await using server = await startHttpServer(async (request, response) => {
    const { method, url, headers } = request;
    heard.push({ method, url, headers, body: await text(request) });
    response.writeHead(201, "Made", { "x-one": ["1", "2"], "Set-Cookie": ["a=1", "b=2"] }).end('{"a":"ü"}');
  });
  const address = `${server.url}a%20b?c=d#e`;
  const response = await fetch(address, { method: "post", headers: { "X-Key": "k" }, body: "grün", signal: never });
  expect(heard).toEqual([
    {
      method: "POST",
      url: "/a%20b?c=d",
      headers: {
        host: new URL(server.url).host,
        connection: "keep-alive",
        accept: "*/*",
        "accept-encoding": "identity",
        "content-length": "5",
        "content-type": "text/plain;charset=UTF-8",
        "user-agent": "node",
        "x-key": "k",
      },
      body: "grün",
    },
  ]);
  const { status, statusText, ok: isOk, url, redirected, headers } = response;
  expect({ status, statusText, isOk, url, redirected }).toEqual({
    status: 201,
    statusText: "Made",
    isOk: true,
    url: address,
    redirected: false,
  });
  expect([headers.get("X-One"), headers.getSetCookie()]).toEqual(["1, 2", ["a=1", "b=2"]]);
  expect(await response.json()).toEqual({ a: "ü" });
});

test("bytes are sent as they are, also with DELETE, and none with GET", async () => {
  const lengths: (string | undefined)[] = [];
  await using server = await startHttpServer(async (request, response) => {
    lengths.push(request.headers["content-length"]);
    response.end(await buffer(request));
  });
  const bytes = new Uint8Array([0, 255, 13, 10]);
  for (const method of ["PUT", "DELETE"])
    expect(await (await fetch(server.url, { method, body: bytes })).bytes()).toEqual(bytes);
  expect(await (await fetch(new URL(server.url))).text()).toBe("");
  expect(lengths).toEqual(["4", "4", undefined]);
});

test("a large body goes there and back whole", async () => {
  await using server = await startHttpServer((request, response) => void request.pipe(response));
  const body = "üxyz".repeat(2 * 1024 * 1024);
  const response = await fetch(server.url, { method: "POST", body });
  expect((await response.text()) === body).toBe(true);
});

test("a chunk of the server's is read before the next one comes", async () => {
  let open: ServerResponse | undefined;
  await using server = await startHttpServer((_, response) => void (open = response).write("one"));
  const reader = (await fetch(server.url)).body!.getReader();
  const decoder = new TextDecoder();
  expect(decoder.decode((await reader.read()).value)).toBe("one");
  open?.end("two");
  expect(decoder.decode((await reader.read()).value)).toBe("two");
  expect((await reader.read()).done).toBe(true);
});

test("a server is held up by who doesn't read, and loses nothing", async () => {
  const piece = Buffer.alloc(256 * 1024, "x");
  const pieces = 256;
  let written = 0;
  await using server = await startHttpServer(async (request, response) => {
    if (request.url === "/ping") return response.end();
    for (; written < pieces; written++) if (!response.write(piece)) await once(response, "drain");
    return response.end();
  });
  const { body } = await fetch(server.url);
  // It has come to a stand when it doesn't get on any more while others are answered.
  let before = -1;
  while (before !== written) {
    before = written;
    for (let count = 0; count < 50; count++) await (await fetch(`${server.url}ping`)).text();
  }
  expect(written).toBeLessThan(pieces / 2);
  let length = 0;
  for await (const bytes of body!) length += bytes.length;
  expect(length).toBe(pieces * piece.length);
});

test("abort ends a request that waits for its answer, and one in the midst of it", async () => {
  const reason = new Error("enough");
  for (const hasBegun of [false, true]) {
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    await using server = await startHttpServer((_, response) => {
      response.on("close", () => left.resolve());
      if (hasBegun) response.write("one");
      asked.resolve();
    });
    const stopping = new AbortController();
    const response = fetch(server.url, { signal: stopping.signal });
    const answer = response.then((heard) => heard.text());
    await (hasBegun ? response : asked.promise);
    stopping.abort(reason);
    expect(await failureOf(answer)).toBe(reason);
    await left.promise;
  }
  await using server = await startHttpServer(ok);
  expect(await failureOf(fetch(server.url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(server.connections()).toBe(0);
});

test("an abort without a reason is an AbortError", async () => {
  expect(await failureOf(fetch("http://127.0.0.1:1/", { signal: AbortSignal.abort() }))).toMatchObject({
    name: "AbortError",
  });
});

test("a reader that stops closes the connection", async () => {
  const left = Promise.withResolvers<void>();
  await using server = await startHttpServer((_, response) => {
    response.on("close", () => left.resolve());
    response.write("one");
  });
  for await (const _ of (await fetch(server.url)).body!) break;
  await left.promise;
  expect(server.connections()).toBe(1);
});

test("nobody there is an error that says so", async () => {
  const port = await ownPort();
  expect(await failureOf(fetch(`http://127.0.0.1:${port}/`))).toMatchObject({
    name: "TypeError",
    message: "fetch failed",
    cause: { code: "ECONNREFUSED" },
  });
});

test.each([
  ["no address", "no URL", "nowhere"],
  ["another protocol", "nothing is fetched over file:", "file:///etc/passwd"],
  ["a password in the address", "a name or a password", "http://me:secret@127.0.0.1:1/"],
])("%s is refused", async (_, why, address) => {
  const error = await failureOf(fetch(address));
  expect(error).toMatchObject({ message: "fetch failed", cause: { message: expect.stringContaining(why) } });
  expect(String(error.cause)).not.toContain("secret");
});

test.each([
  ["x-key", "secret\r\nx-other: 1"],
  ["x-key", "secret\u{1F331}"],
  ["x-key\r\nx-other", "1"],
  ["x key", "1"],
  ["Host", "elsewhere"],
  ["Transfer-Encoding", "chunked"],
  ["Connection", "close"],
])("the header %j: %j isn't sent", async (name, value) => {
  await using server = await startHttpServer(ok);
  const error = await failureOf(fetch(server.url, { method: "POST", headers: { [name]: value }, body: "1" }));
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).not.toContain("secret");
  expect(server.connections()).toBe(0);
});

test("a length that is wrong isn't sent", async () => {
  await using server = await startHttpServer((request, response) => void request.pipe(response));
  const init = { method: "POST", headers: { "content-length": "1" }, body: "123" };
  expect(await (await fetch(server.url, init)).text()).toBe("123");
});

test("a body that is neither text nor bytes isn't sent", async () => {
  await using server = await startHttpServer(ok);
  for (const body of [new FormData(), new ReadableStream(), new URLSearchParams()])
    expect(await failureOf(fetch(server.url, { method: "POST", body }))).toBeInstanceOf(TypeError);
  const get = { method: "GET", body: "1" };
  expect(await failureOf(fetch(server.url, get))).toBeInstanceOf(TypeError);
  expect(server.connections()).toBe(0);
});

test("redirects within the origin are followed, the method and the body as the platform does", async () => {
  await using server = await startHttpServer(async (request, response) => {
    const status = Number(request.url?.slice(1));
    if (status) return response.writeHead(status, { location: "/end" }).end("elsewhere");
    const { "content-type": type = "", "x-key": key } = request.headers;
    return response.end(JSON.stringify([request.method, type, key, await text(request)]));
  });
  const init = { method: "POST", headers: { "content-type": "a/b", "x-key": "k" }, body: "hi" };
  for (const status of [301, 302, 303, 307, 308]) {
    const ours = await fetch(`${server.url}${status}`, init);
    expect(ours).toMatchObject({ redirected: true, url: `${server.url}end` });
    const theirs = await globalThis.fetch(`${server.url}${status}`, init);
    expect(await ours.text()).toBe(await theirs.text());
  }
});

test("a redirect to elsewhere isn't followed, nor one that never ends, nor any where it isn't wanted", async () => {
  await using other = await startHttpServer(ok);
  await using server = await startHttpServer(({ url }, response) => {
    const location = { "/away": other.url, "/round": "/round", "/bad": "http://[" }[url ?? ""];
    response.writeHead(307, { location }).end();
  });
  const why = async (path: string, redirect?: "error") =>
    String((await failureOf(fetch(`${server.url}${path}`, { ...(redirect && { redirect }) }))).cause);
  expect(await why("away")).toContain(`a redirect to ${new URL(other.url).origin}, which isn't followed`);
  expect(await why("round")).toContain("unexpected redirect");
  expect(await why("bad")).toContain("unexpected redirect");
  expect(await why("round", "error")).toContain("unexpected redirect");
  const response = await fetch(`${server.url}away`, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([307, other.url]);
  expect(other.connections()).toBe(0);
});

test("an answer that is compressed, though that wasn't asked for, is an error", async () => {
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("x");
  });
  expect(await failureOf(fetch(server.url))).toMatchObject({ cause: { message: expect.stringContaining("gzip") } });
});

test("answers without a body have none", async () => {
  await using server = await startHttpServer(({ method }, response) => {
    response.writeHead(method === "HEAD" ? 200 : 204).end();
  });
  for (const method of ["DELETE", "DELETE", "HEAD"]) {
    const response = await fetch(server.url, { method });
    expect(response.body).toBeNull();
    expect(await response.text()).toBe("");
  }
  expect(server.connections()).toBe(1);
});

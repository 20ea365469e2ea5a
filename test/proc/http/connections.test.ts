import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createSafeServer } from "node:https";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { fetch } from "../../../proc/http/fetch.ts";
import { makeCertificates } from "../../support/network/certificates.ts";
import { patienceMs } from "../../support/patience.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { startRawServer } from "../../support/network/raw-server.ts";
import { failureOf } from "./failure-of.ts";

const post = { method: "POST", body: "{}" };
const hello = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";

afterEach(() => void vi.useRealTimers());

test("a connection is used again once its answer has been read, or was left whole", async () => {
  await using server = await startHttpServer((_, response) => void response.end("hi"));
  expect(await (await fetch(server.url, post)).text()).toBe("hi");
  await (await fetch(server.url, post)).body?.cancel();
  expect(await (await fetch(server.url, post)).text()).toBe("hi");
  expect(server.connections()).toBe(1);
});

test("a connection that its server has closed meanwhile isn't used for the next request", async () => {
  for (const how of ["end", "reset"]) {
    await using server = await startRawServer((socket) => void socket.write(hello));
    expect(await (await fetch(server.url, post)).text()).toBe("hi");
    // At once: nobody here has heard of it when the next request is made.
    if (how === "end") server.sockets[0]?.destroy();
    else server.sockets[0]?.resetAndDestroy();
    expect(await (await fetch(server.url, post)).text()).toBe("hi");
    expect(server.sockets).toHaveLength(2);
  }
});

test("a request that may have been handled isn't sent again", async () => {
  await using server = await startRawServer((socket, count) => {
    if (count === 1) socket.write(hello);
    else socket.resetAndDestroy();
  });
  expect(await (await fetch(server.url, post)).text()).toBe("hi");
  const error = await failureOf(fetch(server.url, post));
  expect(error).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
  expect(server.requests).toHaveLength(2);
});

test.each([
  ["that is no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["that is empty", ""],
  ["with a broken header", "HTTP/1.1 200 OK\r\nbad header\r\n\r\n"],
  ["with two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
  ["with endless headers", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}\r\n\r\n`],
  [
    "that speaks another protocol from now on",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  ],
])("an answer %s is an error", async (_, answer) => {
  await using server = await startRawServer((socket) => void socket.end(answer));
  const error = await failureOf(fetch(server.url, post));
  expect(error).toMatchObject({ name: "TypeError", message: "fetch failed", cause: expect.any(Error) });
  expect(error.cause).not.toHaveProperty("rawPacket");
});

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
test.each([
  ["chunked, without its last chunk", `${head}transfer-encoding: chunked\r\n\r\n3\r\none\r\n`],
  ["chunked, inside of a chunk", `${head}transfer-encoding: chunked\r\n\r\nff\r\none`],
  ["chunked, with garbage for a length", `${head}transfer-encoding: chunked\r\n\r\n3\r\none\r\nzz\r\n`],
  ["shorter than it said", `${head}content-length: 100\r\n\r\none`],
])("a body that is cut off is an error, and not its end: %s", async (_, answer) => {
  for (const how of ["end", "reset"]) {
    await using server = await startRawServer((socket) => {
      socket.write(answer, () => void (how === "end" ? socket.end() : socket.resetAndDestroy()));
    });
    // Where it is reset at once, its beginning may be lost as well.
    const read = async () => (await fetch(server.url, post)).text();
    const error = await failureOf(read());
    expect(error).toMatchObject({
      name: "TypeError",
      message: how === "end" ? "terminated" : expect.stringMatching(/^(terminated|fetch failed)$/),
      cause: expect.any(Error),
    });
  }
});

test("a body whose length nobody said ends with its connection", async () => {
  await using server = await startRawServer((socket) => void socket.end(`${head}\r\none`));
  expect(await (await fetch(server.url)).text()).toBe("one");
});

test("a server that takes the connection and doesn't get as far as TLS is given up", async () => {
  await using server = await startRawServer(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const error = failureOf(fetch(server.url.replace("http:", "https:")));
  await vi.waitUntil(() => server.sockets.length === 1, { timeout: patienceMs, interval: 1 });
  vi.advanceTimersByTime(10_000);
  expect(await error).toMatchObject({ message: "fetch failed", cause: { code: "ETIMEDOUT" } });
});

test("an answer may take as long as it likes", async () => {
  const asked = Promise.withResolvers<() => void>();
  await using server = await startHttpServer((_, response) => asked.resolve(() => void response.end("late")));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const response = fetch(server.url, post);
  const answer = await asked.promise;
  vi.advanceTimersByTime(24 * 3_600_000);
  answer();
  expect(await (await response).text()).toBe("late");
});

/** Fetches an address by a program of its own, with some variables. */
async function fetchedBy(url: string, env: Record<string, string>): Promise<{ text?: string; error?: string }> {
  const module = new URL("../../../proc/http/fetch.ts", import.meta.url).href;
  const program = `
    const { fetch } = await import(${JSON.stringify(module)});
    const told = await fetch(${JSON.stringify(url)}).then((r) => r.text()).then((text) => ({ text }), (e) => ({ error: e.cause?.code ?? e.cause?.message }));
    console.log(JSON.stringify(told));`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env["PATH"], ...env } });
  return JSON.parse(stdout) as { text?: string; error?: string };
}

test("TLS trusts what NODE_EXTRA_CA_CERTS names, and a proxy is used where Node is told to", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cortex-http-"));
  const { ca, cert, key } = makeCertificates(folder, ["IP:127.0.0.1"]);
  const safe = createSafeServer(
    { cert: readFileSync(cert), key: readFileSync(key) },
    (_, response) => void response.end("safe"),
  );
  const tunnels: Socket[] = [];
  await using proxy = await startHttpServer((request, response) => void response.end(`for ${request.url}`));
  proxy.server.on("connect", (request, socket) => {
    const [, port] = (request.url ?? "").split(":");
    const onward = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    tunnels.push(onward);
    for (const end of [onward, socket]) end.on("error", () => {});
  });
  try {
    await once(safe.listen(0, "127.0.0.1"), "listening");
    const url = `https://127.0.0.1:${(safe.address() as AddressInfo).port}/`;
    const trusting = { NODE_EXTRA_CA_CERTS: ca };
    const proxied = { ...trusting, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    const [trusted, untrusted, tunnelled, passed] = await Promise.all([
      fetchedBy(url, trusting),
      fetchedBy(url, {}),
      fetchedBy(url, proxied),
      fetchedBy("http://nowhere.invalid/page", proxied),
    ]);
    expect(trusted).toEqual({ text: "safe" });
    expect(untrusted).toEqual({ error: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    expect(tunnelled).toEqual({ text: "safe" });
    expect(tunnels).toHaveLength(1);
    expect(passed).toEqual({ text: "for http://nowhere.invalid/page" });
  } finally {
    for (const socket of tunnels) socket.destroy();
    safe.close();
    safe.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
});

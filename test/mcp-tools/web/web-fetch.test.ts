import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { isPublicAddress } from "../../../protocol/guards/public-address.ts";
import { fetchPage } from "../../../mcp-tools/web/web-fetch.ts";

const answers: Record<string, RequestListener> = {
  "/text": (_, response) =>
    response.setHeader("Content-Type", "text/plain; charset=ISO-8859-1").end(Buffer.from([0xe4])),
  "/meta": (_, response) =>
    response.setHeader("Content-Type", "text/html").end(Buffer.from('<meta charset="iso-8859-1">\xe4', "latin1")),
  "/json": (_, response) => response.setHeader("Content-Type", "application/ld+json").end("{}"),
  "/gzip": (_, response) => response.setHeader("Content-Encoding", "gzip").end(gzipSync("packed")),
  "/torn": (_, response) => response.setHeader("Content-Encoding", "gzip").end(gzipSync("packed").subarray(0, 15)),
  "/odd": (_, response) => response.setHeader("Content-Encoding", "odd").end("x"),
  "/bomb": (_, response) =>
    response.setHeader("Content-Encoding", "gzip").end(gzipSync(Buffer.alloc(100_000_000, "x"))),
  "/image": (_, response) => response.setHeader("Content-Type", "image/png").end("x"),
  "/gone": (_, response) => response.writeHead(404).end("secret text"),
  "/long": (request, response) => {
    // Without an end: whoever reads it must leave.
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more).on("error", () => {});
    more();
    request.on("error", () => {});
  },
  "/silent": () => {},
  "/half": (_, response) => void response.writeHead(200, { "Content-Length": "100" }).write("x"),
  "/echo": ({ headers }, response) => response.end(JSON.stringify(headers)),
};

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
  const to = searchParams.get("to");
  const left = Number(/^\/hops\/(\d+)$/.exec(pathname)?.[1] ?? 0);
  if (to !== null) response.writeHead(302, { Location: to }).end();
  else if (left > 0) response.writeHead(307, { Location: `/hops/${left - 1}` }).end();
  else if (pathname === "/hops/0") response.end("arrived");
  else answers[pathname]?.(request, response);
});
let origin: string;

beforeAll(async () => {
  origin = `http://127.0.0.1:${await listening(server)}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

const anywhere = { isAllowed: () => true };

describe("what is fetched", () => {
  test.each([
    ["/text", { type: "text/plain", text: "ä" }],
    ["/meta", { type: "text/html", text: '<meta charset="iso-8859-1">ä' }],
    ["/json", { type: "application/ld+json", text: "{}" }],
    ["/gzip", { type: "text/plain", text: "packed" }],
    ["/hops/5", { text: "arrived" }],
  ])("%s", async (path, expected) => {
    expect(await fetchPage(origin + path, anywhere)).toMatchObject({ ...expected, isCut: false });
  });

  test("is told where it was found", async () => {
    expect((await fetchPage(`${origin}/x?to=/text`, anywhere)).url).toBe(`${origin}/text`);
  });

  test("is cut where it is too long, also when it was packed small", async () => {
    const options = { ...anywhere, maxBytes: 100_000 };
    for (const path of ["/long", "/bomb"]) {
      const { text, isCut } = await fetchPage(origin + path, options);
      expect([text.length, isCut]).toEqual([100_000, true]);
    }
  });

  test("is asked for without anything of ours, and not by a proxy", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, "http://127.0.0.1:9");
    const { text } = await fetchPage(`${origin}/echo`, anywhere);
    expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });
});

test.each([
  ["/image", 'is not text, but "image/png"'],
  ["/gone", "answered 404"],
  ["/odd", 'is encoded as "odd"'],
  ["/torn", "can't be fetched"],
  ["/hops/6", "more than 5 times"],
  ["/x?to=file:///etc/passwd", "expected http:// or https://"],
  ["/x?to=http://a:b@example.com/", "name or password"],
])("%s is an error", async (path, message) => {
  await expect(fetchPage(origin + path, anywhere)).rejects.toThrow(message);
});

test.each(["ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x"])(
  "%s is not an address of a page",
  async (url) => {
    await expect(fetchPage(url, anywhere)).rejects.toThrow("expected http:// or https://");
  },
);

test.each(["/silent", "/half"])("%s ends when the time is up, or the call is cancelled", async (path) => {
  await expect(fetchPage(origin + path, { ...anywhere, timeoutMs: 50 })).rejects.toThrow(
    "no whole answer within 0.05 s",
  );
  const signal = AbortSignal.abort();
  await expect(fetchPage(origin + path, { ...anywhere, signal })).rejects.toThrow("can't be fetched");
});

describe("this machine's own network", () => {
  const options = { isAllowed: isPublicAddress };
  let opened = 0;
  const guarded = createServer((_, response) => response.end("secret")).on("connection", () => opened++);
  let guardedPort: number;

  beforeAll(async () => {
    guardedPort = await listening(guarded);
  });
  afterEach(async () => {
    // Whatever was connected to before has been noticed when this is answered.
    expect((await fetchPage(`http://127.0.0.1:${guardedPort}/`, anywhere)).text).toBe("secret");
    expect(opened).toBe(1);
    opened = 0;
  });
  afterAll(() => void guarded.close());

  test("is refused in every way to write it, and nothing is connected to", async () => {
    for (const host of [
      "127.0.0.1",
      "localhost",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "127.1",
      "0",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "127.0.0.1.",
    ])
      await expect(fetchPage(`http://${host}:${guardedPort}/`, options)).rejects.toThrow("own network");
    expect(opened).toBe(0);
  });

  test("is refused when a redirect leads there", async () => {
    // The first one is let through, as if it were public.
    let asked = 0;
    const isAllowed = (address: string) => asked++ === 0 || isPublicAddress(address);
    for (const to of [`http://127.0.0.1:${guardedPort}/`, `http://localhost:${guardedPort}/`, "//127.1/"]) {
      asked = 0;
      await expect(fetchPage(`${origin}/x?to=${encodeURIComponent(to)}`, { isAllowed })).rejects.toThrow("own network");
    }
    expect(opened).toBe(0);
  });

  test("is refused by the address that is connected to, not by the name that was checked before", async () => {
    const asked: string[] = [];
    const isAllowed = (address: string) => {
      asked.push(address);
      return false;
    };
    await expect(fetchPage(`http://localhost:${guardedPort}/`, { isAllowed })).rejects.toThrow("own network");
    expect(asked).toContain("127.0.0.1");
    expect(asked).not.toContain("localhost");
  });
});

async function listening(started: Server): Promise<number> {
  started.listen(0, "127.0.0.1");
  await once(started, "listening");
  const address = started.address();
  return typeof address === "object" && address ? address.port : 0;
}

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "../../../journal/access/tokens.ts";
import { webSearchRemedy } from "../../../journal/programs/web-search.ts";
import { webSearchOf } from "../../../mcp-tools/web/web-search.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { playBrave, playSearxng, refuse, sendJson } from "../../support/search-servers.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const folder = makeJournal();
const { journal } = folder;
let server: ToolsServer;
let client: Client & AsyncDisposable;

const configure = (web_search: unknown) => writeFileSync(join(journal, "cortex.json"), JSON.stringify({ web_search }));
const offered = async () => (await client.listTools()).tools.map(({ name }) => name);
const search = (query: string, more: Record<string, unknown> = {}) =>
  callTool(client, "web_search", { query, ...more });

beforeAll(async () => {
  server = await startTools(journal);
  client = await connect(server.url, await issueToken(journal, "1736380800000", ["web_search"]));
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const beijing = { title: "Weather in Beijing", url: "https://weather.test/beijing", text: "Sunny, 25 °C." };

test("web_search is offered where an engine is configured, and nowhere else, as the settings are at the moment", async () => {
  configure(undefined);
  expect(await offered()).toEqual([]);
  expect((await search("tides")).text).toMatch(/^no tool "web_search" here/);
  configure({ url: "http://127.0.0.1:1" });
  expect(await offered()).toEqual(["web_search"]);
  configure({ brave_key_file: "no-such-file" });
  expect(await offered()).toEqual([]);
  configure({});
  expect(await offered()).toEqual([]);
});

describe("a SearXNG", () => {
  test("is asked for JSON, and its results are links with a few words, as many as were asked for", async () => {
    await using searxng = await playSearxng({
      results: [
        beijing,
        { title: "Second [x](evil)", url: "https://b.test/a(b)", text: "two\u202e lines\nhere" },
        beijing,
      ],
    });
    configure({ url: searxng.url });
    const found = await search("weather Beijing", { count: 2 });
    expect(found.text.split("\n")).toEqual([
      "1. [Weather in Beijing](https://weather.test/beijing)",
      "   Sunny, 25 °C.",
      "2. [Second  x (evil)](https://b.test/a%28b%29)",
      "   two lines here",
    ]);
    expect(searxng.queries).toEqual(["weather Beijing"]);
  });

  test("may stand below a path of its host", async () => {
    const paths: string[] = [];
    await using host = await startHttpServer((request, response) => {
      paths.push(request.url ?? "");
      sendJson(response, 200, { results: [] });
    });
    configure({ url: `${host.url}searx` });
    expect(await search("tides & times")).toEqual({ text: "(nothing was found)", isError: false });
    expect(paths).toEqual(["/searx/search?q=tides+%26+times&format=json"]);
  });

  test.each([
    ["refuses the format", { answer: (response) => refuse(response, 403) }, /needs? "json" among search\.formats/],
    ["has too many requests", { answer: (response) => refuse(response, 429) }, /too many requests \(429\)/],
    ["is broken", { answer: (response) => refuse(response, 502) }, /answered 502/],
    ["answers with a page", { answer: (response) => response.end("<html>") }, /isn't a list of results/],
    ["answers with other JSON", { answer: (response) => sendJson(response, 200, [1]) }, /isn't a list of results/],
    ["answers without end", { answer: (response) => response.end("x".repeat(3_000_000)) }, /more than \d+ bytes/],
    ["leads elsewhere", { answer: (response) => response.writeHead(302, { Location: "/a" }).end() }, /answered 302/],
    ["has engines that don't answer", { silent: [["google", "CAPTCHA"]] }, /didn't answer: google: CAPTCHA/],
  ] satisfies [string, Parameters<typeof playSearxng>[0], RegExp][])(
    "that %s is an error that the model reads",
    async (_, options, expected) => {
      await using searxng = await playSearxng(options);
      configure({ url: searxng.url });
      const { isError, text } = await search(`tides: ${expected.source.slice(0, 20)}`);
      expect([isError, text]).toEqual([true, expect.stringMatching(expected)]);
      expect(searxng.connections()).toBe(1);
    },
  );

  test("where nobody listens is told with its address, and not with its query", async () => {
    configure({ url: "http://127.0.0.1:1/?token=hidden" });
    expect((await search("tides")).text).toBe(
      "web_search: the search at http://127.0.0.1:1 can't be asked: connect ECONNREFUSED 127.0.0.1:1",
    );
  });

  test("gives no links but to pages, and none without a host", async () => {
    const links = ["javascript:alert(1)", "file:///etc/passwd", "/relative", "https://ok.test/"];
    await using searxng = await playSearxng({ results: links.map((url) => ({ title: "", url, text: "" })) });
    configure({ url: searxng.url });
    expect((await search("links")).text).toBe("1. [ok.test](https://ok.test/)");
  });
});

describe("Brave Search", () => {
  const key = "BSA-0123456789abcdef";

  test("is asked with its key, and its marked-up words are shown as text", async () => {
    const marked = {
      ...beijing,
      title: "Weather &amp; <strong>Beijing</strong>",
      text: "<strong>Sunny</strong>, 25&#x27;",
    };
    await using brave = await playBrave({ key, results: [marked] });
    writeFileSync(join(journal, "brave-key"), `${key}\n`, { mode: 0o600 });
    configure({ brave_key_file: "brave-key", brave_api_url: brave.url });
    expect((await search("weather Beijing")).text).toBe(
      "1. [Weather & Beijing](https://weather.test/beijing)\n   Sunny, 25'",
    );
    expect(brave.queries).toEqual(["weather Beijing"]);
  });

  test("finds nothing without an error", async () => {
    await using brave = await playBrave({ key });
    configure({ brave_key_file: "brave-key", brave_api_url: brave.url });
    expect(await search("tides")).toEqual({ text: "(nothing was found)", isError: false });
  });

  test("that has reached the limit of a second is asked again after it", async () => {
    await using brave = await playBrave({ key, results: [beijing], left: { second: 0, month: 100 } });
    configure({ brave_key_file: "brave-key", brave_api_url: brave.url });
    expect((await search("tides")).text).toContain("[Weather in Beijing]");
    expect(brave.queries).toEqual(["tides", "tides"]);
  });

  test("that has reached the limit of a month isn't asked again: the model is told when it may", async () => {
    await using brave = await playBrave({ key, results: [beijing], left: { second: 1, month: 0 } });
    configure({ brave_key_file: "brave-key", brave_api_url: brave.url });
    const { isError, text } = await search("tides");
    expect([isError, text]).toEqual([true, expect.stringMatching(/limit of the key .*RATE_LIMITED.*in 395 hours$/)]);
    expect(brave.queries).toHaveLength(1);
  });

  test("that refuses the key says what to check, and not the key", async () => {
    await using brave = await playBrave({ key: "another" });
    configure({ brave_key_file: "brave-key", brave_api_url: brave.url });
    const { text } = await search("tides");
    expect(text).toMatch(/refuses the key \(SUBSCRIPTION_TOKEN_INVALID.*check web_search in cortex\.json/);
    expect(text).not.toContain(key);
  });

  test("is there with a key in the environment alone, and a SearXNG in the settings wins over it", async () => {
    await using brave = await playBrave({ key, results: [beijing] });
    await using searxng = await playSearxng({ results: [beijing] });
    const found = webSearchOf(journal, { BRAVE_API_KEY: key });
    configure({ brave_api_url: brave.url });
    expect([found.isThere(), webSearchOf(journal, {}).isThere()]).toEqual([true, false]);
    expect(await found.find("tides", 3, undefined)).toMatchObject([{ url: beijing.url }]);
    configure({ brave_api_url: brave.url, url: searxng.url });
    await found.find("moon", 3, undefined);
    expect([brave.queries, searxng.queries]).toEqual([["tides"], ["moon"]]);
  });

  test("whose key others can read isn't asked: what is wrong is said", async () => {
    configure({ brave_key_file: "brave-key" });
    chmodSync(join(journal, "brave-key"), 0o644);
    await expect(webSearchOf(journal, {}).find("tides", 3, undefined)).rejects.toThrow(/can be read by others/);
    configure({});
    await expect(webSearchOf(journal, {}).find("tides", 3, undefined)).rejects.toThrow(webSearchRemedy);
  });
});

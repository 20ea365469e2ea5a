import { expect, test } from "vitest";
import { hostRule, isNamedPlace, narrowedNetwork, Network, rulesFor } from "../../protocol/runs/request/network.ts";

test.each([
  [["example.com"], "example.com", 443, true],
  [["Example.COM"], "example.com", 80, true],
  [["example.com"], "example.com", 8443, false],
  [["example.com"], "www.example.com", 443, false],
  [["example.com:8443"], "example.com", 8443, true],
  [["example.com:8443"], "example.com", 443, false],
  [["*.example.com"], "a.b.example.com", 443, true],
  [["*.example.com"], "example.com", 443, false],
  [["*.example.com"], "badexample.com", 443, false],
  [["*"], "anything.org", 443, true],
  [["*"], "anything.org", 22, false],
  [["localhost:8080"], "localhost", 8080, true],
  [["[::1]:8080"], "::1", 8080, true],
  [[], "example.com", 443, false],
] as const)("%j at %s:%i: %s", (entries, host, port, isAllowed) => {
  expect(rulesFor(entries, host, port).length > 0).toBe(isAllowed);
});

test("a persona and a request leave out what they don't want, and add nothing", () => {
  const settings = ["*.example.com", "npmjs.org", "localhost:8080"];
  expect(narrowedNetwork(settings)).toEqual({ allowed: settings, refused: [] });
  expect(narrowedNetwork(settings, ["a.example.com", "npmjs.org:443", "evil.org"], undefined)).toEqual({
    allowed: ["a.example.com", "npmjs.org:443"],
    refused: ["evil.org"],
  });
  expect(narrowedNetwork(settings, ["*"]).allowed).toEqual(["*.example.com", "npmjs.org"]);
  expect(narrowedNetwork(settings, [], ["npmjs.org"])).toEqual({ allowed: [], refused: [] });
  expect(narrowedNetwork(undefined, ["npmjs.org"])).toEqual({ allowed: [], refused: ["npmjs.org"] });
  expect(narrowedNetwork(["a.org:443"], ["a.org:80", "a.org:443", "a.org:8443"]).allowed).toEqual(["a.org:443"]);
});

test.each([["*"], ["*:8080"], ["localhost"], ["10.0.0.5"]])(
  "no narrowing of %j names a place of this machine or its network",
  (settings) => {
    const wanted = ["localhost:8080", "localhost:80", "10.0.0.5:80", "10.0.0.5:8080", "[::1]:8080"];
    const { allowed } = narrowedNetwork([settings], wanted);
    expect(allowed.filter((entry) => isNamedPlace(hostRule(entry)))).toEqual([]);
  },
);

test("what is named with its port stays what the settings name", () => {
  expect(narrowedNetwork(["localhost:8080"], ["localhost:8080"]).allowed).toEqual(["localhost:8080"]);
  expect(narrowedNetwork(["[::1]:8080"], ["[::1]:8080"]).allowed).toEqual(["[::1]:8080"]);
});

test.each([
  "",
  "http://example.com",
  "exa mple.com",
  "a.*.com",
  "*example.com",
  "example.com:0",
  "example.com/path",
  "a@b",
])("%j is not an entry", (entry) => {
  expect(Network.safeParse([entry]).success).toBe(false);
});

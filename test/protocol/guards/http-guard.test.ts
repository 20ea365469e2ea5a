import { expect, test } from "vitest";
import { bearerToken, refusal } from "../../../protocol/guards/http-guard.ts";

test.each(["127.0.0.1:6270", "localhost:6270", "LOCALHOST:6270", "[::1]:6270"])("Host %s is this server", (host) => {
  expect(refusal({ host }, 6270)).toBeUndefined();
  expect(refusal({ host, origin: `http://${host}` }, 6270)).toBeUndefined();
});

test.each([undefined, "", "evil.example", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:6270.evil.example", "0.0.0.0:6270"])(
  "Host %j is not",
  (host) => {
    expect(refusal({ host }, 6270)).toContain("Host");
  },
);

test.each([
  "http://evil.example",
  "https://localhost:6270",
  "http://localhost",
  "null",
  "",
  "http://localhost:6270.evil.example",
])("Origin %j is foreign", (origin) => {
  expect(refusal({ host: "localhost:6270", origin }, 6270)).toContain("Origin");
});

test("a token is read from a bearer header alone", () => {
  expect(bearerToken("Bearer abc")).toBe("abc");
  expect(bearerToken("bearer abc")).toBe("abc");
  for (const header of [undefined, "", "Bearer", "Bearer ", "Basic abc", "abc", "Bearer a b"])
    expect(bearerToken(header)).toBeUndefined();
});

import { expect, test } from "vitest";
import { hidesSomething, redacted, secretValues } from "../../../protocol/runs/request/request-content.ts";

const secret = "correct horse battery";

test("the values of env are hidden by name, and wherever else they stand", () => {
  const request = {
    prompt: `say ${secret}`,
    env: { A: secret, B: "x" },
    other: [{ deep: secret }],
    handoff: { prompt: secret, env: { C: "another secret" }, note: "another secret" },
  };
  expect(redacted(request)).toEqual({
    prompt: "say ***",
    env: { A: "***", B: "***" },
    other: [{ deep: "***" }],
    handoff: { prompt: "***", env: { C: "***" }, note: "***" },
  });
});

test("unknown fields with the name of a secret are hidden; known fields are what they say", () => {
  const request = {
    prompt: "my token: abc",
    max_tokens: 100,
    api_key: "sk-1",
    headers: { Authorization: "Bearer abc", accept: "x", nested: [{ clientSecret: { a: 1 } }] },
    mcp_server_url: "https://user:pass@host/path",
  };
  expect(redacted(request)).toEqual({
    prompt: "my token: abc",
    max_tokens: 100,
    api_key: "***",
    headers: { Authorization: "***", accept: "x", nested: [{ clientSecret: "***" }] },
    mcp_server_url: "https://***@host/path",
  });
  expect(secretValues(request)).toEqual(["sk-1", "Bearer abc"]);
  expect(secretValues({ sort_key: "customer_id" })).toEqual([]);
});

test("secrets are hidden in texts that are no request, and no JSON", () => {
  expect(redacted([{ password: "x" }, 1, null])).toEqual([{ password: "***" }, 1, null]);
  expect(redacted('{"prompt": "x", "api_key": "sk-1", "token":2, "env": {"A": "b"')).toBe(
    '{"prompt": "x", "api_key": "***", "token":"***", "env": "***"',
  );
  expect(redacted('{"password": "cut of')).toBe('{"password": "***"');
});

test("a caller can tell whether something was hidden", () => {
  expect(hidesSomething(redacted({ prompt: "x", env: { A: "b" } }))).toBe(true);
  expect(hidesSomething(redacted({ prompt: "x" }))).toBe(false);
  expect(hidesSomething(undefined)).toBe(false);
});

import { expect, test } from "vitest";
import { readRequest } from "../../../cortex/intake/read-request.ts";

const read = (value: unknown) =>
  readRequest(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)));
const accepted = (value: unknown) => {
  const reading = read(value);
  if (!reading.ok) throw new Error(reading.rejection.error);
  return reading;
};

test("the id comes from ts or agent_id, and may be absent", () => {
  expect(accepted({ prompt: "x" }).agentId).toBe(null);
  expect(accepted({ prompt: "x", ts: 1736380800000 }).agentId).toBe("1736380800000");
  expect(accepted({ prompt: "x", agent_id: "1736380800001" }).agentId).toBe("1736380800001");
});

test("the same content has the same hash: without nulls and event, in any order", () => {
  const { hash } = accepted({ prompt: "x", tools: ["a"], y: { b: 1, a: 2 } });
  for (const same of [
    { y: { a: 2, b: 1 }, tools: ["a"], prompt: "x" },
    { prompt: "x", tools: ["a"], y: { b: 1, a: 2 }, event: "request", model: null },
  ])
    expect(accepted(same).hash).toBe(hash);
  for (const other of [
    { prompt: "x ", tools: ["a"], y: { b: 1, a: 2 } },
    { prompt: "x", tools: "a", y: { b: 1, a: 2 } },
    { prompt: "x", tools: ["a"], y: { b: "1", a: 2 } },
    { prompt: "x", tools: ["a"], y: { b: 1, a: 2 }, z: false },
  ])
    expect(accepted(other).hash).not.toBe(hash);
});

test("null means absent, at the top, in a handoff and in env; deeper it stays", () => {
  const { request } = accepted({
    prompt: "x",
    model: null,
    env: { A: null, B: "b" },
    handoff: { model: null },
    own: [null],
  });
  expect(request).toEqual({ prompt: "x", env: { B: "b" }, handoff: {}, own: [null] });
});

test("unknown fields stay as they are", () => {
  expect(accepted({ prompt: "x", constructor: 1, colour: { deep: [1] } }).request).toMatchObject({
    colour: { deep: [1] },
  });
});

test("bytes that are no UTF-8, deep nesting and __proto__ harm nobody", () => {
  expect(readRequest(Uint8Array.of(0xff, 0xfe)).ok).toBe(false);
  expect(read("[".repeat(100_000)).ok).toBe(false);
  const { request } = accepted('{"prompt":"x","__proto__":{"polluted":true}}');
  expect((request as { polluted?: boolean }).polluted).toBe(undefined);
  expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
});

test("a refusal says nothing of what the parser saw", () => {
  const reading = read('{"env":{"KEY":sekret}}');
  if (reading.ok) throw new Error("accepted");
  expect(JSON.stringify(reading)).not.toContain("sekret");
  expect(reading.rejection.error).toMatch(/^not JSON: /);
});

test("a refusal says nothing of a secret, however long it is and wherever it stands", () => {
  const secret = Array.from({ length: 60 }, (_, index) => `k${1000 + index}`).join("");
  expect(secret).toHaveLength(300);
  for (const value of [
    { prompt: "x", env: { KEY: secret }, priority: secret },
    { prompt: "x", env: { KEY: secret }, tools: { header: `Bearer ${secret}` } },
    { prompt: "x", handoff: { env: { KEY: secret }, persona: { [secret]: 1 } } },
    { prompt: "x", api_key: secret, timeout_seconds: secret },
  ]) {
    const reading = read(value);
    if (reading.ok) throw new Error("accepted");
    expect(reading.rejection.error).toContain("***");
    expect(JSON.stringify(reading)).not.toContain(secret.slice(0, 10));
  }
});

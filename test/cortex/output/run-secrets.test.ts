import { expect, test } from "vitest";
import type { Plan } from "../../../cortex/plan/merge.ts";
import { secretsOf, withoutSecrets } from "../../../cortex/output/run-secrets.ts";
import { SecretHider } from "../../../protocol/guards/secrets.ts";

const planOf = (fields: Record<string, unknown>) => ({ env: {}, handoff: undefined, ...fields }) as unknown as Plan;
const own = {
  OPENAI_API_KEY: "sk-openai",
  GEMINI_API_KEY: "sk-gemini",
  https_proxy: "http://me:p%40ss@proxy:1",
  PATH: "/bin",
};

test("a run's secrets are its env, that of its child, its own backend's key, and the proxy's password", () => {
  const backend = { kind: "built-in", name: "openai", environment: ["OPENAI_API_KEY", "OPENAI_BASE_URL"] };
  const request = {
    prompt: "x",
    env: { A: "of the request" },
    handoff: { env: { B: "of the child" } },
    api_key: "sk-1",
  };
  const secrets = secretsOf(request, planOf({ backend, env: { C: "of the persona" } }), own);
  expect(new Set(secrets)).toEqual(
    new Set(["of the request", "of the child", "sk-1", "of the persona", "sk-openai", "p%40ss", "p@ss"]),
  );
});

test("a declared backend's variables are secrets only by their names", () => {
  const backend = {
    kind: "declared",
    name: "x",
    declared: { command: ["x"], env: { MODE: "production", MY_TOKEN: "t0ken" } },
  };
  expect(secretsOf({ prompt: "x" }, planOf({ backend }), {})).toEqual(["t0ken"]);
});

test("an event keeps what cortex itself says, and loses every secret", () => {
  const hider = new SecretHider(["1736380800000", "cancelled", "my_secret_event"]);
  const stamp = { ts: 1736380800000, agent_id: "1736380800000", seq: 1 };
  expect(withoutSecrets({ event: "error", ...stamp, reason: "cancelled", error: "was cancelled" }, hider)).toEqual({
    event: "error",
    ...stamp,
    reason: "cancelled",
    error: "was ***",
  });
  expect(withoutSecrets({ event: "handoff", ...stamp, to: "1736380800000" }, hider)).toMatchObject({
    to: "1736380800000",
  });
  expect(withoutSecrets({ event: "my_secret_event", ...stamp, to: "cancelled" }, hider)).toMatchObject({
    event: "info",
    to: "***",
  });
});

import { expect, test } from "vitest";
import type { BackendChoice } from "../../cortex/backend-choice.ts";
import { refusedVariables, runEnvironment } from "../../cortex/run-environment.ts";

const own = {
  PATH: "/bin",
  HOME: "/home/x",
  LANG: "C",
  TZ: "UTC",
  TMPDIR: "/tmp",
  https_proxy: "p",
  SSL_CERT_FILE: "c",
  OPENAI_API_KEY: "sk-1",
  ANTHROPIC_API_KEY: "sk-2",
  GEMINI_API_KEY: "sk-3",
  AWS_SECRET_ACCESS_KEY: "aws",
  NODE_OPTIONS: "--require x",
  LD_PRELOAD: "x.so",
  JOURNAL_PATH: "/j",
  NATS_URL: "nats://u:p@h",
};
const base = {
  PATH: "/bin",
  HOME: "/home/x",
  LANG: "C",
  TZ: "UTC",
  TMPDIR: "/tmp",
  https_proxy: "p",
  SSL_CERT_FILE: "c",
};

test("a declared backend gets the basics, its own variables and its request's, in that order", () => {
  const backend: BackendChoice = {
    kind: "declared",
    name: "x",
    declared: { command: ["x"], env: { A: "backend", B: "backend" } },
  };
  expect(runEnvironment(own, backend, { B: "request", C: "request" })).toEqual({
    ...base,
    A: "backend",
    B: "request",
    C: "request",
  });
});

test("a built-in backend gets its own keys and nobody else's", () => {
  const backend = { kind: "built-in", name: "openai", environment: ["OPENAI_API_KEY", "OPENAI_BASE_URL"] } as const;
  expect(runEnvironment(own, backend, {})).toEqual({ ...base, OPENAI_API_KEY: "sk-1" });
});

test.each([
  "NODE_OPTIONS",
  "node_options",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "ld_audit",
  "DYLD_INSERT_LIBRARIES",
  "PATH",
  "Path",
  "OPENAI_BASE_URL",
  "ANTHROPIC_BASE_URL",
  "GOOGLE_GEMINI_BASE_URL",
  "MY_BASE_URL",
  "CORTEX_RUN",
  "CORTEX_STOP_AT",
  "NODE_EXTRA_CA_CERTS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "HTTPS_PROXY",
  "all_proxy",
  "SSL_CERT_FILE",
  "OPENSSL_CONF",
  "BASH_ENV",
  "ENV",
  "SHELLOPTS",
  "CLAUDE_CONFIG_DIR",
  "ANTHROPIC_AUTH_TOKEN",
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "",
  "A=B",
  "A B",
  "1A",
  "A\0",
  "é",
])("a request may not set %j", (name) => expect(refusedVariables({ [name]: "x", FINE: "x" })).toEqual([name]));

test("a request may not set a value that no process can be given", () => {
  expect(refusedVariables({ FOO: "a\0b", BAR: "a\nb" })).toEqual(["FOO"]);
});

test("a request may set what is harmless", () => {
  expect(
    refusedVariables({
      FOO: "1",
      NODE_ENV: "production",
      MY_ENV: "2",
      _x: "2",
      MY_API_KEY: "3",
      HOME: "4",
      PATHS: "5",
    }),
  ).toEqual([]);
});

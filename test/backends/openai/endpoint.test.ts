import { expect, test } from "vitest";
import { openaiEndpoint } from "../../../backends/openai/endpoint/endpoint.ts";

const key = { OPENAI_API_KEY: "sk-test-0123456789" };

test.each([
  ["without an address it is OpenAI's own", key, "https://api.openai.com/v1", "openai"],
  ["an empty one is none", { ...key, OPENAI_BASE_URL: "" }, "https://api.openai.com/v1", "openai"],
  [
    "a region's is OpenAI's own too",
    { ...key, OPENAI_BASE_URL: "https://eu.api.openai.com/v1" },
    "https://eu.api.openai.com/v1",
    "openai",
  ],
  [
    "one that only sounds like it is a foreign one",
    { OPENAI_BASE_URL: "https://api.openai.com.example/v1" },
    "https://api.openai.com.example/v1",
    null,
  ],
  ["a machine's own needs no key", { OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" }, "http://127.0.0.1:11434/v1", null],
])("%s", (_, environment: NodeJS.ProcessEnv, baseUrl, seller) => {
  expect(openaiEndpoint(environment)).toEqual({
    backend: "openai",
    keyName: "OPENAI_API_KEY",
    key: environment["OPENAI_API_KEY"],
    baseUrl,
    seller,
  });
});

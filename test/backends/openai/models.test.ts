import { expect, test } from "vitest";
import { listModels } from "../../../backends/openai/models.ts";
import { listModels as listOfOpenrouter } from "../../../backends/openrouter/provider.ts";
import { playDialect, playOpenai } from "../../support/providers/openai.ts";
import { playOpenrouter } from "../../support/providers/openrouter.ts";

const list = {
  object: "list",
  data: [
    { id: "b", object: "model" },
    { id: "a", object: "model" },
  ],
};
const { signal } = new AbortController();

test("the models that OpenAI offers to a key", async () => {
  await using server = await playOpenai([{ status: 200, body: list }]);
  const environment = { OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.url };
  expect(await listModels(environment, signal)).toEqual(["a", "b"]);
  expect(server.refusals).toEqual([]);
});

test("a key that is refused is said as in a run", async () => {
  await using server = await playOpenai([{ status: 401, body: { error: { message: "no" } } }]);
  const environment = { OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.url };
  await expect(listModels(environment, signal)).rejects.toThrow("check OPENAI_API_KEY");
});

test("a server of one's own needs no key for it", async () => {
  await using server = await playDialect({})([{ status: 200, body: list }]);
  expect(await listModels({ OPENAI_BASE_URL: server.url }, signal)).toEqual(["a", "b"]);
});

test("the models of OpenRouter", async () => {
  await using server = await playOpenrouter([{ status: 200, body: list }]);
  const environment = { OPENROUTER_API_KEY: "sk-or-0123456789", OPENROUTER_BASE_URL: server.url };
  expect(await listOfOpenrouter(environment, signal)).toEqual(["a", "b"]);
});

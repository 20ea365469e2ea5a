import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { contextWindowAt } from "../../../backends/openai/endpoint/context-window.ts";
import { openaiEndpoint } from "../../../backends/openai/endpoint/endpoint.ts";
import { patienceMs } from "../../support/patience.ts";

/** Asks a server that answers these paths, and 404 for others. */
async function asked(answers: Record<string, unknown>): Promise<number | undefined> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? { error: "not found" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const endpoint = openaiEndpoint({ OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` });
    return await contextWindowAt(endpoint, "qwen", AbortSignal.timeout(patienceMs));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const models = (fields: Record<string, unknown>) => ({
  "/v1/models": {
    object: "list",
    data: [
      { id: "other", object: "model", max_model_len: 1 },
      { id: "qwen", object: "model", ...fields },
    ],
  },
});

const cases: [server: string, answers: Record<string, unknown>, window: number | undefined][] = [
  ["vLLM", models({ max_model_len: 16_384 }), 16_384],
  ["llama.cpp", models({ meta: { n_ctx_train: 131_072 } }), 131_072],
  ["a llama.cpp that was started with less", models({ meta: { n_ctx: 8192, n_ctx_train: 131_072 } }), 8192],
  ["OpenRouter", models({ context_length: 200_000 }), 200_000],
  ["Ollama", { "/api/show": { model_info: { "qwen3.context_length": 40_960 } } }, 40_960],
  [
    "an Ollama that was told to use less",
    { "/api/show": { parameters: "stop x\nnum_ctx   8192\n", model_info: { "qwen3.context_length": 40_960 } } },
    8192,
  ],
  ["a server that says nothing", models({}), undefined],
  ["a server that says nonsense", models({ max_model_len: "many", meta: 7 }), undefined],
  ["a server with a page at Ollama's address", { "/api/show": "<html>", ...models({ max_model_len: 9000 }) }, 9000],
];

test.each(cases)("the window of a model is what %s says", async (_, answers, window) => {
  expect(await asked(answers)).toBe(window);
});

/** Refusals, waiting and telling again, with a cortex that a test plays. */
import { expect, test } from "vitest";
import type { MeteringAnswer, MeteringNotice } from "../../../protocol/runs/metering.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { patienceMs } from "../../support/patience.ts";
import { openTestGateway, type TestGateway } from "../test-gateway.ts";

const answerOf = { type: "message", model: "claude-sonnet-4-5", usage: { input_tokens: 10, output_tokens: 4 } };
const provider = () => startHttpServer((_, response) => void response.end(JSON.stringify(answerOf)));
const ask = (gateway: TestGateway) =>
  fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": gateway.token },
    body: '{"model":"claude-sonnet-4-5","max_tokens":1000}',
  });

test("a call at its cap is refused in the dialect's shape, and no byte reaches the provider", async () => {
  await using server = await provider();
  await using gateway = await openTestGateway({
    url: server.url,
    answer: () => ({ ok: false, refused: "cap", error: "used 100 tokens, the limit max_total_tokens is 100" }),
  });
  const answer = await ask(gateway);
  expect([answer.status, await answer.json()]).toEqual([
    402,
    {
      type: "error",
      error: { type: "billing_error", message: "cortex: used 100 tokens, the limit max_total_tokens is 100" },
    },
  ]);
  expect(server.connections()).toBe(0);
});

test("a call is set aside at its most, by its own limit", async () => {
  await using server = await provider();
  await using gateway = await openTestGateway({ url: server.url });
  await (await ask(gateway)).text();
  const [begin] = gateway.notices;
  expect(begin).toMatchObject({
    event: "begin",
    models: ["claude-sonnet-4-5"],
    most: { calls: 1, output_tokens: 1000 },
  });
  expect(begin?.event === "begin" && begin.most.cost_usd).toBeCloseTo(1000 * 15e-6, 3);
});

test("a call that has no room beside others waits for their end, and then is asked about again", async () => {
  const first = Promise.withResolvers<void>();
  await using server = await startHttpServer(async (_, response) => {
    await first.promise;
    response.end(JSON.stringify(answerOf));
  });
  let underWay = 0;
  const waits = Promise.withResolvers<void>();
  const answer = (notice: MeteringNotice): MeteringAnswer => {
    if (notice.event === "end") underWay--;
    else if (underWay > 0) {
      waits.resolve();
      return { ok: false, refused: "under_way", error: "full" };
    } else underWay++;
    return { ok: true };
  };
  await using gateway = await openTestGateway({
    url: server.url,
    answer,
    patience: { awayMs: patienceMs, roomMs: patienceMs },
  });
  const both = [ask(gateway), ask(gateway)];
  await waits.promise;
  first.resolve();
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
});

test("a call that waits for room in vain is refused", async () => {
  await using server = await provider();
  await using gateway = await openTestGateway({
    url: server.url,
    answer: () => ({ ok: false, refused: "under_way", error: "full" }),
    patience: { awayMs: 0, roomMs: 0 },
  });
  expect((await ask(gateway)).status).toBe(402);
  expect(server.connections()).toBe(0);
});

test("while nobody counts no call is made: the client is told to come again", async () => {
  await using server = await provider();
  await using gateway = await openTestGateway({
    url: server.url,
    answer: () => null,
    patience: { awayMs: 0, roomMs: 0 },
  });
  const answer = await ask(gateway);
  expect([answer.status, await answer.json()]).toMatchObject([503, { error: { type: "overloaded_error" } }]);
  expect(server.connections()).toBe(0);
});

test("an end is told until somebody has it, with the same name", async () => {
  await using server = await provider();
  let told = 0;
  await using gateway = await openTestGateway({
    url: server.url,
    answer: (notice) => (notice.event === "end" && ++told < 3 ? null : { ok: true }),
  });
  await (await ask(gateway)).text();
  await gateway.ended(3);
  const calls = gateway.notices.flatMap((notice) => (notice.event === "end" ? [notice.call] : []));
  expect(new Set(calls).size).toBe(1);
});

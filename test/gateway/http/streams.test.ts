/** Many streams at once, clients that don't read, leave, or are cut off, and exchanges that are kept. */
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callsFolder } from "../../../journal/runs/run-files.ts";
import { agentId } from "../../journal/temporary-journal.ts";
import { askUntil } from "../../support/ask-until.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { patienceMs } from "../../support/patience.ts";
import { openTestGateway, secretKey, type TestGateway } from "../test-gateway.ts";

const event = (document: unknown) => `data: ${JSON.stringify(document)}\n\n`;
const start = event({
  type: "message_start",
  message: { type: "message", model: "claude-sonnet-4-5", usage: { input_tokens: 10, output_tokens: 1 } },
});
const delta = (text: string) => event({ type: "content_block_delta", delta: { type: "text_delta", text } });
const end = event({ type: "message_delta", usage: { output_tokens: 4 } }) + event({ type: "message_stop" });
const asStream = { "content-type": "text/event-stream" };

const ask = (gateway: TestGateway, signal?: AbortSignal) =>
  fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": gateway.token },
    body: '{"model":"claude-sonnet-4-5","max_tokens":100,"stream":true}',
    ...(signal && { signal }),
  });

test("a hundred streams are open at once, and each gets its own words", async () => {
  const open: ServerResponse[] = [];
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, asStream);
    response.write(start + delta(`first ${open.push(response)}`));
  });
  await using gateway = await openTestGateway({ url: server.url });
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask(gateway)));
  await askUntil(
    () => open.length === 100,
    () => `${open.length} of 100 are open`,
    patienceMs,
  );
  for (const [at, response] of open.entries()) response.end(delta(`last ${at + 1}`) + end);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  const numbers = texts.map((text) => {
    const [first, last] = ["first", "last"].map((word) => new RegExp(`${word} (\\d+)`).exec(text)?.[1]);
    expect(first).toBe(last);
    return Number(first);
  });
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  const usages = await gateway.ended(100);
  expect(usages.every((usage) => usage?.input_tokens === 10 && usage.output_tokens === 4)).toBe(true);
});

test("a piece of a stream is passed on before the next one comes", async () => {
  const held = Promise.withResolvers<void>();
  await using server = await startHttpServer(async (_, response) => {
    response.writeHead(200, asStream);
    response.write(start);
    await held.promise;
    response.end(end);
  });
  await using gateway = await openTestGateway({ url: server.url });
  const reader = (await ask(gateway)).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(start);
  held.resolve();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(end);
});

test("a client that stops reading slows down its provider, and nobody else", async () => {
  const piece = delta("x".repeat(64 * 1024));
  let written = 0;
  let isFull = false;
  await using server = await startHttpServer(async (asked, response) => {
    response.writeHead(200, asStream);
    if (asked.headers["x-flood"] === undefined) return response.end(start + end);
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    while (!closed.signal.aborted) {
      written++;
      if (response.write(piece)) continue;
      isFull = true;
      await once(response, "drain", { signal: closed.signal }).catch(() => {});
    }
  });
  await using gateway = await openTestGateway({ url: server.url });
  const options = { method: "POST", headers: { "x-api-key": gateway.token, "x-flood": "1" } };
  const flooded = request(`${gateway.url}/v1/messages`, options);
  flooded.on("error", () => {});
  flooded.end('{"model":"claude-sonnet-4-5","stream":true}');
  await once(flooded, "response"); // of which not a byte is read
  await askUntil(
    () => isFull,
    () => "the provider has to wait",
    patienceMs,
  );
  for (let round = 0; round < 5; round++) expect(await (await ask(gateway)).text()).toBe(start + end);
  expect(written).toBeLessThan(10_000);
  flooded.destroy();
  const usages = await gateway.ended(6);
  expect(usages.filter((usage) => usage?.finish_reason === "cancelled")).toHaveLength(1);
});

test("a client that leaves ends its provider's stream, and what it has heard is told as an estimate", async () => {
  const left = Promise.withResolvers<void>();
  await using server = await startHttpServer((_, response) => {
    response.once("close", left.resolve);
    response.writeHead(200, asStream);
    response.write(start + delta("y".repeat(30)));
  });
  await using gateway = await openTestGateway({ url: server.url });
  const leaving = new AbortController();
  const answer = await ask(gateway, leaving.signal);
  await answer.body?.getReader().read();
  leaving.abort();
  await left.promise;
  expect((await gateway.ended())[0]).toMatchObject({
    input_tokens: 10,
    output_tokens: 10,
    finish_reason: "cancelled",
    estimated: true,
  });
});

test("a stream that breaks off at the provider breaks off at the client, and doesn't look whole", async () => {
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, asStream);
    response.write(start, () => response.socket?.resetAndDestroy());
  });
  await using gateway = await openTestGateway({ url: server.url });
  await expect(ask(gateway).then((answer) => answer.text())).rejects.toThrow();
  expect((await gateway.ended())[0]).toMatchObject({ input_tokens: 10, estimated: true });
});

test("a provider that says nothing more for too long is given up", async () => {
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, asStream);
    response.write(start);
  });
  await using gateway = await openTestGateway({ url: server.url, idleMs: 200 });
  // Where the machine is slow, it may be before the first word, or before there is a connection, which costs nothing.
  const whole = async () => {
    const answer = await ask(gateway);
    if (!answer.ok) throw new Error(`answered with ${answer.status}`);
    return answer.text();
  };
  await expect(whole()).rejects.toThrow();
  const [usage] = await gateway.ended();
  expect(usage ?? { estimated: true }).toMatchObject({ estimated: true });
});

test("an exchange is kept where the run is recorded, without the token and the key, for this user alone", async () => {
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, { ...asStream, "x-own": "yes" }).end(start + end);
  });
  await using gateway = await openTestGateway({ url: server.url, record: true });
  await (await ask(gateway)).text();
  await (await ask(gateway)).text();
  const folder = callsFolder(gateway.journal, agentId);
  const names = () => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  await askUntil(
    () => names().length === 2,
    () => `two are kept: ${names().join()}`,
    patienceMs,
  );
  expect(names().toSorted()).toEqual(["1.json", "2.json"]);
  const path = join(folder, "1.json");
  const read = () => {
    try {
      return JSON.parse(readFileSync(path, "utf8")) as unknown;
    } catch {
      return null; // it is being written
    }
  };
  expect(await askUntil(read, () => "it is whole", patienceMs)).toMatchObject({
    provider: "anthropic",
    request: { method: "POST", path: "/v1/messages", body: { model: "claude-sonnet-4-5", max_tokens: 100 } },
    response: { status: 200, headers: { "x-own": "yes" }, body: start + end },
    usage: { input_tokens: 10, output_tokens: 4 },
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const secret of [gateway.token, secretKey]) expect(readFileSync(path, "utf8")).not.toContain(secret);
});

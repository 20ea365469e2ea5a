/** OpenAI's door, by OpenAI's own client: models, both dialects, whole and streamed, errors and clients that leave. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, expect, test } from "vitest";
import { findEvent } from "../../../journal/runs/read-run.ts";
import { png } from "../../support/files/sample-files.ts";
import { patienceMs } from "../../support/patience.ts";
import { startDoor } from "./door-system.ts";

const door = await startDoor();
afterAll(() => door[Symbol.asyncDispose]());
const { client, system } = door;
const journal = system.up.path;

const steps = (...events: object[]) => JSON.stringify(events.map((ev) => ({ ev })));
const usage = { input_tokens: 12, output_tokens: 5, cached_input_tokens: 3, reasoning_tokens: 1, cost_usd: 0.01 };
const answering = (result: string) => steps({ event: "start", model: "m" }, { event: "finish", result, usage });
const asked = (content: string) => [{ role: "user" as const, content }];

/** The events of a stream, and the run that its header names. */
async function streamOf<T>(promise: { withResponse: () => Promise<{ data: AsyncIterable<T>; response: Response }> }) {
  const { data, response } = await promise.withResponse();
  const events: T[] = [];
  for await (const event of data) events.push(event);
  return { events, run: response.headers.get("x-cortex-run") ?? "" };
}

test("models are personas and agents, apart from each other, and none that is off", async () => {
  const ids = (await client.models.list()).data.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(["cortex/default", "cortex/player", "cortex/reviewer", "agent/main"]));
  expect(ids).not.toContain("cortex/off");
  expect(await client.models.retrieve("cortex/player")).toMatchObject({ id: "cortex/player", object: "model" });
  await expect(client.models.retrieve("cortex/off")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
});

test("a completion is a run of its persona: its text, its usage, and its id", async () => {
  const { data, response } = await client.chat.completions
    .create({ model: "cortex/player", messages: asked(answering("It is done.")) })
    .withResponse();
  const run = response.headers.get("x-cortex-run") ?? "";
  expect(data).toMatchObject({
    id: `chatcmpl-${run}`,
    object: "chat.completion",
    model: "cortex/player",
    choices: [{ message: { role: "assistant", content: "It is done." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17, cost: 0.01 },
  });
  expect(await findEvent(journal, run, ["request"])).toMatchObject({ persona: "player", watched: true });
});

test("a stream has the pieces as they come, and usage where it is asked for", async () => {
  const go = join(journal, "go-on");
  const prompt = JSON.stringify([
    { ev: { event: "start", model: "m" } },
    { ev: { event: "text_delta", text: "First " } },
    { await: go },
    { ev: { event: "text_delta", text: "and last." } },
    { ev: { event: "text", text: "First and last." } },
    { ev: { event: "finish", result: "First and last.", usage } },
  ]);
  const stream = await client.chat.completions.create({
    model: "cortex/player",
    messages: asked(prompt),
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let told: unknown = null;
  for await (const { choices, usage: total } of stream) {
    text += choices[0]?.delta.content ?? "";
    // The first piece is here before the run goes on.
    if (text === "First ") writeFileSync(go, "");
    told = total ?? told;
  }
  expect(text).toBe("First and last.");
  expect(told).toMatchObject({ prompt_tokens: 12, completion_tokens: 5, cost: 0.01 });
});

test("what was said before is the conversation of the run; with X-Cortex-Continue it goes on from a run", async () => {
  system.think("Which boat", ({ said }) => ({ text: `I heard ${said.length}: ${said.join(" | ")}` }));
  const first = await client.chat.completions
    .create({
      model: "cortex/default",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "The boat is Maren." },
        { role: "assistant", content: "Noted." },
        { role: "user", content: "Which boat is it?" },
      ],
    })
    .withResponse();
  expect(first.data.choices[0]?.message.content).toContain("The boat is Maren.");
  const run = first.response.headers.get("x-cortex-run") ?? "";
  const second = await client.chat.completions
    .create(
      { model: "cortex/default", messages: asked("Which boat was that?") },
      { headers: { "X-Cortex-Continue": run } },
    )
    .withResponse();
  const next = second.response.headers.get("x-cortex-run") ?? "";
  expect(await findEvent(journal, next, ["request"])).toMatchObject({ continue_from: run });
  expect(second.data.choices[0]?.message.content).toContain("The boat is Maren.");
});

test("a response is whole or a stream of its events, and another goes on from it", async () => {
  const whole = await client.responses.create({ model: "cortex/player", input: answering("One.") });
  expect(whole).toMatchObject({ object: "response", status: "completed", output_text: "One." });
  expect(whole.usage).toMatchObject({ input_tokens: 12, output_tokens: 5, total_tokens: 17, cost: 0.01 });
  const { events } = await streamOf(
    client.responses.create({
      model: "cortex/player",
      input: answering("Two."),
      previous_response_id: whole.id,
      stream: true,
    }),
  );
  expect(events.map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  const last = events.at(-1);
  expect(last).toMatchObject({ response: { previous_response_id: whole.id, status: "completed" } });
});

test("an image in the request is a file of the run", async () => {
  const url = `data:image/png;base64,${png().toString("base64")}`;
  const { response } = await client.chat.completions
    .create({
      model: "cortex/player",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: answering("A picture.") },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    })
    .withResponse();
  const request = await findEvent(journal, response.headers.get("x-cortex-run") ?? "", ["request"]);
  expect(request?.["attachments"]).toEqual([expect.objectContaining({ id: expect.stringMatching(/^[0-9a-f]{64}$/) })]);
});

/** The agent that the door's `agent/main` is. */
const mainAgent = async () =>
  String(
    (await system.command("agents find", { channel: { type: "web", channelId: "main", userId: "token" } }))["agent_id"],
  );

test("a message to an agent that can't be taken in is an error that says so", async () => {
  mkdirSync(join(journal, "agents"), { recursive: true });
  // Something else stands where the agent's folder would be made.
  const inTheWay = join(journal, "agents", await mainAgent());
  writeFileSync(inTheWay, "no folder");
  const asking = client.chat.completions.create({ model: "agent/main", messages: asked("Is anybody there?") });
  await expect(asking).rejects.toMatchObject({ status: 500, message: expect.stringContaining("put away") });
  rmSync(inTheWay);
});

test("an agent answers with what it replies, in its own conversation", async () => {
  const reply = { tool: "reply", args: { text: "They are in the cellar.", channelType: "web", channelId: "main" } };
  system.think("pelargonium", ({ results }) => (results.length > 0 ? { text: "." } : { calls: [reply] }));
  const completion = await client.chat.completions.create({
    model: "agent/main",
    messages: asked("Where are the pelargoniums?"),
  });
  expect(completion.choices[0]?.message.content).toBe("They are in the cellar.");
  const ids = (await client.models.list()).data.map(({ id }) => id).filter((id) => id.startsWith("agent/"));
  expect(ids).toEqual(["agent/main"]);
  const { events } = await streamOf(
    client.chat.completions.create({ model: "agent/main", messages: asked("And the pelargonium now?"), stream: true }),
  );
  expect(events.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("They are in the cellar.");
});

test("a message to an agent that is taken back before its turn is an error that says so", async () => {
  const go = Promise.withResolvers<{ text: string }>();
  for (const word of ["pelargonium", "barberry"]) system.think(word, () => go.promise);
  const agent_id = await mainAgent();
  const first = client.chat.completions.create({ model: "agent/main", messages: asked("What of the barberry?") });
  await system.until(() => system.askedOf("barberry").length > 0, "the agent thinks");
  const second = client.chat.completions.create({ model: "agent/main", messages: asked("And the sloe?") });
  const ended = expect(second).rejects.toMatchObject({
    status: 400,
    code: "cancelled",
    message: expect.stringContaining("taken back"),
  });
  const item = await system.until(async () => {
    const { waiting } = await system.command("agents show", { agent_id });
    return (waiting as { id: string; text: string }[]).find(({ text }) => text === "And the sloe?")?.id;
  }, "the message waits");
  await system.command("agents take-back", { agent_id, item });
  await ended;
  go.resolve({ text: "." });
  await first;
});

test("a turn of an agent that fails is an error with the model's own words", async () => {
  const body = { type: "error", error: { type: "invalid_request_error", message: "No such gooseberry" } };
  // The first word of its conversation counts, whichever test has said it.
  for (const word of ["pelargonium", "gooseberry"]) system.think(word, () => ({ status: 400, body }));
  const messages = asked("What of the gooseberry?");
  await expect(client.chat.completions.create({ model: "agent/main", messages })).rejects.toMatchObject({
    code: "provider",
    message: expect.stringContaining("No such gooseberry"),
  });
  await expect(
    streamOf(client.chat.completions.create({ model: "agent/main", messages, stream: true })),
  ).rejects.toThrow("No such gooseberry");
});

test("a request that can't be answered says which field, in OpenAI's shape", async () => {
  const cases: [object, number, string | null][] = [
    [{ model: "gpt-5", messages: asked("x") }, 404, "model"],
    [{ model: "cortex/player", messages: [] }, 400, "messages"],
    [{ model: "cortex/player", messages: [{ role: "assistant", content: "x" }] }, 400, null],
    [
      { model: "cortex/player", messages: asked("x"), tools: [{ type: "function", function: { name: "f" } }] },
      400,
      "tools",
    ],
    [{ model: "cortex/player", messages: [{ role: "robot", content: "x" }] }, 400, "messages[0].role"],
  ];
  for (const [body, status, param] of cases)
    await expect(client.chat.completions.create(body as never)).rejects.toMatchObject({ status, param });
  const tools = [{ type: "function" as const, name: "f", parameters: {}, strict: false }];
  await expect(client.responses.create({ model: "cortex/player", input: "x", tools })).rejects.toMatchObject({
    status: 400,
    param: "tools",
    message: expect.stringContaining("an agent calls the tools that its persona has, never those of a client"),
  });
  const continued = { headers: { "X-Cortex-Continue": "1700000000000" } };
  await expect(
    client.chat.completions.create({ model: "cortex/player", messages: asked("x") }, continued),
  ).rejects.toMatchObject({ status: 400, param: "X-Cortex-Continue", message: expect.stringContaining("no such run") });
  const stranger = new OpenAI({ baseURL: `${door.url}/v1`, apiKey: "wrong", maxRetries: 0 });
  await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, type: "authentication_error" });
  await expect(
    client.responses.create({ model: "cortex/player", input: "x", previous_response_id: "resp_nobody" }),
  ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
});

test("a run that fails is an error, whole and in the stream, with the run's id", async () => {
  const prompt = steps({ event: "start", model: "m" }, { event: "error", error: "no key for that", reason: "config" });
  await expect(
    client.chat.completions.create({ model: "cortex/player", messages: asked(prompt) }),
  ).rejects.toMatchObject({ status: 400, code: "config", message: expect.stringContaining("no key for that") });
  await expect(
    streamOf(client.chat.completions.create({ model: "cortex/player", messages: asked(prompt), stream: true })),
  ).rejects.toThrow("no key for that");
  const { events } = await streamOf(client.responses.create({ model: "cortex/player", input: prompt, stream: true }));
  expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { code: "config" } } });
});

test("the same Idempotency-Key asks for the same run", async () => {
  const ask = () =>
    client.chat.completions
      .create({ model: "cortex/player", messages: asked(answering("Once.")) }, { headers: { "Idempotency-Key": "k1" } })
      .withResponse();
  const [first, second] = [await ask(), await ask()];
  expect(second.response.headers.get("x-cortex-run")).toBe(first.response.headers.get("x-cortex-run"));
  expect(second.data.choices[0]?.message.content).toBe("Once.");
});

test("the run of a client that leaves is stopped", async () => {
  const prompt = JSON.stringify([
    { ev: { event: "start", model: "m" } },
    { ev: { event: "text_delta", text: "begun" } },
    { await: join(journal, "never") },
  ]);
  const { data, response } = await client.chat.completions
    .create({ model: "cortex/player", messages: asked(prompt), stream: true })
    .withResponse();
  // A piece of it: where a secret might begin, text is held back until more of it has come.
  for await (const { choices } of data) if (choices[0]?.delta.content) break;
  data.controller.abort();
  const run = response.headers.get("x-cortex-run") ?? "";
  await system.up.until(() => system.up.hasEnded(run), "the run ends");
  expect(await findEvent(journal, run, ["error"])).toMatchObject({ reason: "cancelled" });
  expect(existsSync(join(journal, "never"))).toBe(false);
});

test("the door answers again when the bus is back", async () => {
  const ask = () => client.chat.completions.create({ model: "cortex/player", messages: asked(answering("Back.")) });
  const pid = system.pidOf("nats-server");
  system.up.kill("nats-server");
  await system.up.until(
    () => system.pidOf("nats-server") !== pid && system.up.isReady("nats-server"),
    "the bus is back",
  );
  const again = () => ask().then(({ choices }) => choices[0]?.message.content, String);
  await expect.poll(again, { timeout: patienceMs }).toBe("Back.");
});

/** Requests in OpenAI's two dialects, as clients send them, read into one form. */
import { expect, test } from "vitest";
import { attachmentsOf, instructionsIn, splitLast, textOf } from "../../../../web/openai/requests/asked.ts";
import { readChat } from "../../../../web/openai/requests/read-chat.ts";
import { readResponses } from "../../../../web/openai/requests/read-responses.ts";

const user = (content: unknown) => ({ role: "user", content });

test("what the user said behind the last answer is asked, all else stands before it", () => {
  const { messages } = readChat({
    model: "cortex/default",
    messages: [
      { role: "system", content: "Be brief." },
      user("One"),
      { role: "assistant", content: "Yes?" },
      user("Two"),
      user("Three"),
    ],
  });
  const { before, last } = splitLast(messages);
  expect(before.map(({ role, text }) => [role, text])).toEqual([
    ["user", "One"],
    ["assistant", "Yes?"],
  ]);
  expect([instructionsIn(messages), textOf(last)]).toEqual(["Be brief.", "Two\n\nThree"]);
});

test("images and files come with their content, in each dialect's form", () => {
  const url = "data:image/png;base64,AAAA";
  const chat = readChat({
    model: "m",
    messages: [
      user([
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,BBBB" } },
      ]),
    ],
  });
  expect(attachmentsOf(chat.messages)).toEqual([
    { data: "AAAA", name: "image", mime: "image/png" },
    { data: "BBBB", name: "a.pdf", mime: "application/pdf" },
  ]);
  const content = [
    { type: "input_text", text: "See" },
    { type: "input_image", image_url: url },
  ];
  const responses = readResponses({ model: "m", input: [user(content)] });
  expect(attachmentsOf(responses.messages)).toEqual([{ data: "AAAA", name: "image", mime: "image/png" }]);
});

test("a chat front end's parameters are passed over, and those that a model knows are handed on", () => {
  const sent = {
    model: "m",
    messages: [user("x")],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 100,
    temperature: 0.5,
    top_p: 1,
    seed: 3,
    tools: [],
    user: "ada",
    metadata: { chat_id: "1" },
  };
  expect(readChat(sent)).toMatchObject({ stream: true, includeUsage: true, maxTokens: 100, temperature: 0.5 });
  expect(readChat({ ...sent, max_tokens: null, temperature: null })).toMatchObject({ stream: true });
});

test.each<[string, () => unknown, RegExp]>([
  [
    "an address to fetch",
    () => readChat({ model: "m", messages: [user([imageAt("https://example.org/a.png")])] }),
    /no address is fetched/,
  ],
  [
    "a text in place of base64",
    () => readChat({ model: "m", messages: [user([imageAt("data:text/plain,hello")])] }),
    /base64/,
  ],
  [
    "sound",
    () => readChat({ model: "m", messages: [user([{ type: "input_audio", input_audio: {} }])] }),
    /input_audio/,
  ],
  ["tools of the client", () => readResponses({ model: "m", input: "x", tools: [{ type: "web_search" }] }), /tools/],
  ["several answers", () => readChat({ model: "m", messages: [user("x")], n: 2 }), /n: expected 1/],
  ["a background response", () => readResponses({ model: "m", input: "x", background: true }), /background/],
  ["no message", () => readResponses({ model: "m", input: [] }), /input/],
  [
    "a role that is none",
    () => readChat({ model: "m", messages: [{ role: "robot", content: "x" }] }),
    /messages\[0\]\.role/,
  ],
  [
    "a role of an object's own",
    () => readChat({ model: "m", messages: [{ role: "constructor", content: "x" }] }),
    /role/,
  ],
  ["a body that is none", () => readChat(null), /expected object/],
])("%s is refused with the field", (_, read, message) => expect(read).toThrow(message));

const imageAt = (url: string) => ({ type: "image_url", image_url: { url } });

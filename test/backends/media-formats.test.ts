/** Files in each provider's wire format, to the field: of a user's message, and of what a tool has returned. */
import { expect, test } from "vitest";
import { toMessages } from "../../backends/anthropic/messages.ts";
import { contentsOf } from "../../backends/google/contents.ts";
import { chatMessages } from "../../backends/openai/chat-completions/messages.ts";
import { responsesRequest } from "../../backends/openai/responses/request.ts";
import type { Media, ShownMessage } from "../../backends/provider/media.ts";
import type { ModelCall } from "../../backends/provider/provider.ts";

const image: Media = { kind: "image", name: "roof.png", mime: "image/png", data: "iVBORw0=" };
const document: Media = { kind: "pdf", name: "plan.pdf", mime: "application/pdf", data: "JVBERi0=" };
const sound: Media = { kind: "audio", name: "note.wav", mime: "audio/wav", data: "UklGRg==" };
const chart: Media = { kind: "image", name: "chart.jpg", mime: "image/jpeg", data: "/9j/" };

const told = (media: Media[]): ShownMessage[] => [
  { role: "user", text: "What is this?", media },
  {
    role: "assistant",
    calls: [
      { call_id: "a", tool: "draw", args: {} },
      { call_id: "b", tool: "wait", args: {} },
    ],
  },
  { role: "tool", call_id: "a", result: "drawn", media: [chart] },
  { role: "tool", call_id: "b", result: "waited" },
];
const call = (media: Media[]): ModelCall => ({
  model: "m",
  instruction: "",
  context: "",
  messages: told(media),
  tools: [],
  toolChoice: "auto",
});

test("Anthropic is shown images and documents as blocks before the text, and in a tool's result behind it", () => {
  const base64 = (media_type: string, data: string) => ({ type: "base64", media_type, data });
  const messages = toMessages(
    told([image, document]),
    () => true,
    () => false,
  );
  expect(messages[0]?.content).toEqual([
    { type: "image", source: base64("image/png", "iVBORw0=") },
    { type: "document", source: base64("application/pdf", "JVBERi0="), title: "plan.pdf" },
    { type: "text", text: "What is this?" },
  ]);
  expect(messages[2]?.content).toEqual([
    {
      type: "tool_result",
      tool_use_id: "a",
      content: [
        { type: "text", text: "drawn" },
        { type: "image", source: base64("image/jpeg", "/9j/") },
      ],
    },
    { type: "tool_result", tool_use_id: "b", content: "waited" },
  ]);
});

test("OpenAI's Responses are shown images and files as data addresses, and in a function's output as well", () => {
  const { input } = responsesRequest(call([image, document]), { hasPhases: false, maySearch: false });
  expect(input[0]).toEqual({
    role: "user",
    content: [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0=", detail: "auto" },
      { type: "input_file", filename: "plan.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
    ],
  });
  expect(input.slice(-2)).toEqual([
    {
      type: "function_call_output",
      call_id: "a",
      output: [
        { type: "input_text", text: "drawn" },
        { type: "input_image", image_url: "data:image/jpeg;base64,/9j/", detail: "auto" },
      ],
    },
    { type: "function_call_output", call_id: "b", output: "waited" },
  ]);
});

test("OpenAI's Chat Completions are shown images, files and sound; what tools returned stands behind their results", () => {
  const messages = chatMessages(call([image, document, sound]));
  expect(messages[0]).toEqual({
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0=" } },
      { type: "file", file: { filename: "plan.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    ],
  });
  expect(messages.slice(-3)).toEqual([
    { role: "tool", tool_call_id: "a", content: "drawn" },
    { role: "tool", tool_call_id: "b", content: "waited" },
    {
      role: "user",
      content: [
        { type: "text", text: "(The files that the tools returned.)" },
        { type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/" } },
      ],
    },
  ]);
});

test.each([
  ["gemini-3.8-flash", "within its result"],
  ["gemini-2.5-pro", "behind all results, since it refuses files within them"],
])("Google's %s is shown images, documents and sound inline, and what a tool returned %s", (model) => {
  const inline = ({ mime, data }: Media) => ({ inlineData: { mimeType: mime, data } });
  const contents = contentsOf(told([image, document, sound]), "kept", (tool) => tool, { model, hasSearches: false });
  expect(contents[0]).toEqual({
    role: "user",
    parts: [inline(image), inline(document), inline(sound), { text: "What is this?" }],
  });
  const drawn = { id: "a", name: "draw", response: { output: "drawn" } };
  const waited = { functionResponse: { id: "b", name: "wait", response: { output: "waited" } } };
  expect(contents[2]).toEqual({
    role: "user",
    parts:
      model === "gemini-2.5-pro"
        ? [{ functionResponse: drawn }, waited, inline(chart)]
        : [{ functionResponse: { ...drawn, parts: [inline(chart)] } }, waited],
  });
});

import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { partsOf } from "../../../acp/content/prompt-content.ts";

const file = (path: string, text: string): ContentBlock => ({
  type: "resource",
  resource: { uri: `file://${path}`, text },
});

test.each<[string, ContentBlock, string]>([
  ["text", { type: "text", text: "Hello" }, "Hello"],
  ["a link in the folder", { type: "resource_link", name: "a", uri: "file:///garden/src/a.ts" }, "[a](src/a.ts)"],
  ["a link elsewhere", { type: "resource_link", name: "a", title: "A", uri: "file:///b/a.ts" }, "[A](/b/a.ts)"],
  ["a link to a page", { type: "resource_link", name: "a", uri: "https://a.example/x" }, "[a](https://a.example/x)"],
  [
    "lines of a file",
    { type: "resource_link", name: "a", uri: "file:///garden/a%20b.ts#L10:20" },
    "[a](a b.ts#L10:20)",
  ],
  ["an embedded file", file("/garden/a.ts", "x\n"), "a.ts:\n\n```\nx\n```"],
  ["an embedded file with fences", file("/garden/a.md", "```\nx\n```"), "a.md:\n\n````\n```\nx\n```\n````"],
])("%s is text for the model", (_, block, text) => {
  expect(partsOf([block], "/garden")).toEqual({ texts: [text], files: [] });
});

test("images, sounds and embedded bytes are files with a name", () => {
  const blocks: ContentBlock[] = [
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "image", mimeType: "image/png", data: "AAAA", uri: "file:///garden/plan.png" },
    { type: "audio", mimeType: "audio/wav", data: "BBBB" },
    { type: "resource", resource: { uri: "file:///garden/a.pdf", blob: "CCCC" } },
  ];
  expect(partsOf(blocks, "/garden")).toEqual({
    texts: [],
    files: [
      { name: "image", data: "AAAA" },
      { name: "plan.png", data: "AAAA" },
      { name: "sound", data: "BBBB" },
      { name: "a.pdf", data: "CCCC" },
    ],
  });
});

import { expect, test } from "vitest";
import { hasContents, hideContents } from "../../../protocol/runs/hide-contents.ts";

const data = Buffer.from("a small chart").toString("base64");
const args = (...attachments: unknown[]) => ({ text: "Here.", channelId: "17", attachments });

test.each(["reply", "mcp__cortex__reply"])("a content that %s is given is hidden", (tool) => {
  const given = args({ name: "chart.txt", mime: "text/plain", data }, { path: "a.txt" });
  expect(hasContents(tool, given)).toBe(true);
  const shown = args({ name: "chart.txt", mime: "text/plain", data: "***" }, { path: "a.txt" });
  expect(hideContents(tool, given)).toEqual(shown);
});

test("arguments that aren't an object have no content either", () => {
  const text = `{"text": "x", "attachments": [{"data": "${data}", "name": "a"}`;
  expect(hideContents("reply", text)).toBe(text.replace(data, "***"));
});

test("other arguments and other tools are left as they are", () => {
  for (const given of [args(), { text: "x" }, { attachments: "x" }, args(1, null, { id: "x" }), undefined, 5]) {
    expect(hasContents("reply", given)).toBe(false);
    expect(hideContents("reply", given)).toEqual(given);
  }
  expect(hideContents("write", args({ data }))).toEqual(args({ data }));
});

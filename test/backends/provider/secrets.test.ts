import { expect, test } from "vitest";
import { secretHider, streamHider } from "../../../backends/provider/secrets.ts";

const key = "sk-0123456789-abc";
const environment = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: "short" };

test("a key is replaced wherever it stands, and a short value is left alone", () => {
  expect(secretHider(environment)(`a ${key} b ${key}, short`)).toBe("a *** b ***, short");
});

test("a key with characters that JSON escapes is replaced in JSON too", () => {
  const odd = 'sk-"0123\\456';
  expect(secretHider({ GEMINI_API_KEY: odd })(JSON.stringify({ text: odd }))).toBe('{"text":"***"}');
});

test("a key in pieces of any size never shows, and nothing else is lost", () => {
  const text = `before ${key} between sk-0123 and s${key}sk-`;
  for (let size = 1; size <= text.length; size++) {
    const hider = streamHider(environment);
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += hider.push(text.slice(at, at + size));
    shown += hider.rest();
    expect(shown).toBe("before *** between sk-0123 and s***sk-");
  }
});

test("text that can be no key's begin goes out at once", () => {
  expect(streamHider(environment).push("hello")).toBe("hello");
});

import { describe, expect, test } from "vitest";
import { isSecretName, SecretHider } from "../../../protocol/guards/secrets.ts";

test.each([
  "API_KEY",
  "apiKey",
  "key",
  "x-auth-token",
  "AccessToken",
  "DB_PASSWORD",
  "passwd",
  "client_secret",
  "Authorization",
  "privateKey",
  "aws.secretkey",
])("%s is the name of a secret", (name) => expect(isSecretName(name)).toBe(true));

test.each(["max_tokens", "monkey", "keyboard", "tokenizer", "author", "prompt", "compass", "secretary"])(
  "%s isn't",
  (name) => expect(isSecretName(name)).toBe(false),
);

describe("hiding", () => {
  const value = 'p"q\\r/é-12345';

  test("a value is hidden in whatever form it is likely to be printed", () => {
    const hider = new SecretHider([value]);
    const ascii = JSON.stringify(value).slice(1, -1).replace("é", "\\u00e9");
    const forms = [value, JSON.stringify(value).slice(1, -1), ascii, encodeURIComponent(value)];
    for (const form of forms) expect(hider.hide(`<${form}>`)).toBe("<***>");
    const nested = JSON.stringify({ a: JSON.stringify({ b: value }) });
    expect(hider.isIn(nested)).toBe(true);
    expect(JSON.stringify(hider.hideIn(JSON.parse(nested)))).not.toContain("12345");
  });

  test("each line of a value, the longest first, and numbers", () => {
    const hider = new SecretHider(["first line\r\nsecond line\n", "first line and more", "1234567890"]);
    expect(hider.hide("second line, first line and more")).toBe("***, ***");
    expect(hider.hideIn({ "first line": [1234567890, 12345678901, true, null] })).toEqual({
      "***": ["***", 12345678901, true, null],
    });
  });

  test("a secret shorter than eight characters stays", () => {
    const hider = new SecretHider(["1234567", "12345678"]);
    expect(hider.hide("1234567 12345678")).toBe("1234567 ***");
    expect(new SecretHider([]).isIn("anything")).toBe(false);
  });

  test("secrets are hidden the same in pieces of any size", () => {
    const text = `a ${value} and ${value.slice(0, 5)}, then ${value}`;
    for (let size = 1; size < 20; size++) {
      const stream = new SecretHider([value]).stream();
      let shown = "";
      for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
      expect(shown + stream.rest()).toBe(`a *** and ${value.slice(0, 5)}, then ***`);
    }
  });
});

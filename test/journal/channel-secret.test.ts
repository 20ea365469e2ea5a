import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readChannelSecret } from "../../journal/channels/channel-secret.ts";
import { temporaryJournal } from "./temporary-journal.ts";

test("a password may have blanks, as providers show them; a token has none, and neither has a second line", () => {
  using journal = temporaryJournal();
  const read = (text: string, mayHaveBlanks?: boolean) => {
    writeFileSync(join(journal.path, "secret"), text, { mode: 0o600 });
    const place = { name: "channels.x.secret", file: "secret", variable: undefined };
    return readChannelSecret(journal.path, {}, { ...place, ...(mayHaveBlanks !== undefined && { mayHaveBlanks }) });
  };
  expect(read("abcd efgh ijkl mnop\n", true)).toBe("abcd efgh ijkl mnop");
  expect(read("abcd\n")).toBe("abcd");
  expect(() => read("ab cd\n")).toThrow("expected a secret on one line, got one with white space");
  expect(() => read("ab\ncd\n", true)).toThrow("expected a secret on one line, got one with white space");
  expect(() => read(" \n", true)).toThrow("expected a secret on one line, got none");
});

import { expect, test } from "vitest";
import { globSource } from "../../../mcp-tools/file-search/glob.ts";

test.each<[string, string[], string[]]>([
  ["*.ts", ["a.ts", ".ts"], ["a/b.ts", "a.tsx", "ats"]],
  ["**/*.ts", ["a.ts", "a/b.ts", "a/b/c.ts"], ["a.js"]],
  ["src/**", ["src/a", "src/a/b"], ["src", "srca"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]],
  ["?.md", ["a.md"], ["ab.md", ".md", "/.md"]],
  ["[a-c!].md", ["b.md", "!.md"], ["d.md"]],
  ["[!a].md", ["b.md"], ["a.md", "/.md"]],
  ["*.{ts,md}", ["a.ts", "a.md"], ["a.js", "a.{ts,md}"]],
  ["{a,b*}.{c,d}", ["a.c", "bx.d"], ["c.c"]],
  ["{a", ["{a"], ["a"]],
  ["a}", ["a}"], ["a"]],
  ["a,b", ["a,b"], ["a"]],
  ["[a", ["[a"], ["a"]],
  ["\\*", ["*"], ["a"]],
  ["a.(b|c)+$", ["a.(b|c)+$"], ["a.b"]],
  ["./x", ["x"], ["a/x"]],
  ["ü?", ["ü€"], ["ü"]],
])("%s fits %j, and not %j", (glob, fitting, others) => {
  const pattern = new RegExp(globSource(glob), "u");
  expect([...fitting, ...others].filter((path) => pattern.test(path))).toEqual(fitting);
});

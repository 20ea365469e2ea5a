/** The pages of this repository, and what of them can be typed or pasted: fenced blocks, and code within a line. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export type Block = { page: string; language: string; text: string };

/** All pages that people read, those of folders included. */
export const pages = globSync(["*.md", "docs/**/*.md", "*/README.md", "*/*/README.md"], {
  cwd: root,
  exclude: (path) => /^(node_modules|dist|CHANGELOG\.md)/.test(path),
}).toSorted();

const textOf = (page: string) => readFileSync(join(root, page), "utf8");

export function blocksOf(page: string): Block[] {
  const fences = textOf(page).matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...fences].map(([, language = "", text = ""]) => ({ page, language, text }));
}

/** Code within lines, outside of fences. */
export function inlineOf(page: string): string[] {
  const prose = textOf(page).replaceAll(/^```.*?^```$/gms, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

export const blocks = pages.flatMap(blocksOf);
export const inline = pages.flatMap((page) => inlineOf(page).map((code) => ({ page, code })));

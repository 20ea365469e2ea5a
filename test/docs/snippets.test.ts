/**
 * The other parts of pages, which aren't blocks of commands: settings pass their schema, commands and options exist,
 * scripts are there.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentsSettings } from "../../protocol/agents/agents-settings.ts";
import { PersonaSettings } from "../../protocol/settings/persona.ts";
import { BusSettings, Settings } from "../../protocol/settings/settings.ts";
import { unknownKeys } from "../../protocol/words/unknown-keys.ts";
import { commands } from "../../scripts/command-table.ts";
import { blocks, inline, root } from "./pages.ts";

/** The parts that a page leaves out of a snippet, for brevity. */
const leftOut: [string, string][] = [
  ['"tls": {...}', '"tls": {"cert": "c.pem", "key": "k.pem", "ca": "ca.pem"}'],
  ['"workers": [...]', `"workers": [{"name": "one", "nkey": "U${"A".repeat(55)}"}]`],
  ['"command": [...]', '"command": ["program"]'],
  ["<type>", "matrix"],
  ["…", "example.org"],
];
const whole = (code: string) => leftOut.reduce((text, [short, long]) => text.replaceAll(short, long), code);

/** A part of settings, as pages show it: `"key": value`. Null: it is something else. */
function partOf(code: string): Record<string, unknown> | null {
  if (!/^"[\w$-]+":/.test(code)) return null;
  return JSON.parse(`{${whole(code)}}`) as Record<string, unknown>;
}

/**
 * Finds the problems of a part of settings, wherever its keys belong: to the settings, the agents' ones, or a
 * persona's.
 */
function problemsOf(part: Record<string, unknown>): string[] {
  const homes = [
    { schema: Settings, value: part },
    { schema: Settings, value: { agents: part }, shape: AgentsSettings.shape },
    { schema: Settings, value: { bus: part }, shape: BusSettings.shape },
    { schema: PersonaSettings, value: part },
  ];
  const home = homes.find(({ schema, shape = schema.shape }) => Object.keys(part).every((key) => key in shape));
  if (!home) return [`no settings have ${Object.keys(part).join(", ")}`];
  const parsed = home.schema.safeParse(home.value);
  return [...(parsed.error?.issues.map(({ message }) => message) ?? []), ...unknownKeys(home.schema, home.value)];
}

/** JSON that is no part of settings: what the bus answers. */
const answers = ['"duplicate": true'];
const settings = inline.filter(({ code }) => /^"[\w$-]+":/.test(code) && !answers.includes(code));
test("pages show settings", () => expect(settings.length).toBeGreaterThan(8));
test.each(settings)("settings of $page can be used: $code", ({ code }) => {
  expect(problemsOf(partOf(code) ?? {})).toEqual([]);
});

const json = blocks.filter(({ language }) => language === "json");
test.each(json)("a block of JSON in $page can be read, and used where it holds settings", ({ page, text }) => {
  const value = JSON.parse(whole(text)) as Record<string, unknown>;
  const isOfSettings = Object.keys(value).every((key) => key in Settings.shape);
  // Those of docs/protocol.md are generated, and tried against their own schemas.
  if (isOfSettings && page !== "docs/protocol.md") expect(problemsOf(value)).toEqual([]);
});

const npmScripts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const texts = [
  ...inline.map(({ page, code }) => ({ page, code })),
  ...blocks.map(({ page, text }) => ({ page, code: text })),
];

test.each(texts.filter(({ code }) => /\bnpm run /.test(code)))("the scripts of $page are there: $code", ({ code }) => {
  for (const [, name = ""] of code.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g))
    expect(Object.keys(npmScripts.scripts)).toContain(name);
});

/** `cortex` and its words, up to what belongs to the shell. */
const typed = inline.flatMap(({ page, code }) => {
  const [, words] = /^(?:npx )?cortex ([a-z].*)$/.exec(code) ?? [];
  return words === undefined ? [] : [{ page, code, words: words.split(/\s+/) }];
});
test("pages name commands", () => expect(typed.length).toBeGreaterThan(20));
test.each(typed)("$code, in $page, is a command that there is", async ({ words: [names = "", ...more] }) => {
  for (const name of names.split("|")) {
    const entry = commands[name];
    expect(Object.keys(commands)).toContain(name);
    const { command } = (await entry?.load()) ?? { command: { help: "" } };
    // An action, or several: each stands in the help, and so does each option.
    const [action = ""] = more;
    const actions = /^[a-z|-]+$/.test(action) && !action.startsWith("-") ? action.split("|") : [];
    const options = more.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/[=…].*$/, ""));
    for (const word of [...actions, ...options]) expect(command.help).toContain(word);
  }
});

/** The blocks of commands of all pages are typed, in their order, as they stand, on a journal and a `cortex up` of their own. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, expect, test } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { leftOf } from "../support/journal-processes.ts";
import { ownPort } from "../support/network/own-port.ts";
import { patienceMs } from "../support/patience.ts";
import { blocks, inline, root } from "./pages.ts";

const home = mkdtempSync(join(tmpdir(), "cortex-pages-"));
const journal = join(home, "journal");
const bin = join(home, "bin");
const webhookPort = await ownPort();

mkdirSync(bin);
function program(name: string, text: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
}
program("npx", `name=$1; shift; exec "${process.execPath}" "${root}/bin/$name.js" "$@"`);
// What is refused fails the block: curl alone would show it and be content.
program("curl", 'exec /usr/bin/curl --fail-with-body --silent --show-error "$@"');
// In a terminal of its own, until it is up.
program(
  "in-a-terminal",
  `"$@" > "${home}/up.log" 2>&1 &
echo $! > "${home}/up.pid"
until grep -q "cortex is up" "${home}/up.log"; do kill -0 $! || { cat "${home}/up.log"; exit 1; }; sleep 0.1; done`,
);
// What goes on until it is stopped: that it still does after a while is all that can be asked.
program("for-a-while", 'timeout 5 "$@"; code=$?; [ $code = 124 ] || exit $code');

/** How a line is typed that isn't typed as it stands. */
const table: [line: RegExp, typed: string][] = [
  [/^npx cortex up\b([^#]*).*$/, "in-a-terminal npx cortex up --replace"],
  // The bot would be asked for at Telegram.
  [/^npx cortex logs -f channel-telegram$/, "npx cortex logs --help > /dev/null"],
  // Telegram would be asked: test/scripts/commands/agents/add-channel.test.ts adds one.
  [/^npx cortex channels add telegram\b.*$/, "npx cortex channels --help > /dev/null"],
  [/^(npx cortex logs -f)\b([^#]*).*$/, "for-a-while $1$2"],
  [/^(curl -N .*?)\s+#.*$/, "for-a-while $1"],
  [/^(npx cortex thread tail .*?)\s+#.*$/, "for-a-while $1"],
  // Without a model nothing was changed: test/examples/fixer.long.test.ts has a played one.
  [/^npx cortex changes (?:show|apply|drop)\b.*$/, "npx cortex changes --help > /dev/null"],
  // Nobody was asked anything here, and these files aren't in the repository.
  [/^npx cortex permissions (?:allow|deny)\b.*$/, "npx cortex permissions --help > /dev/null"],
  [/receipt\.jpg --attach terms\.pdf/, "README.md --attach LICENSE"],
  // A conversation needs a terminal, which test/scripts/chat has.
  [/^npx cortex chat +#.*$/, "npx cortex chat --help > /dev/null"],
  [
    /^(curl .*)http:\/\/127\.0\.0\.1:6272\/$/,
    `until /usr/bin/curl -s -o /dev/null http://127.0.0.1:${webhookPort}/; do sleep 0.1; done\n$1http://127.0.0.1:${webhookPort}/`,
  ],
];

/** The preparation before a block that holds this. */
const before: [text: string, make: () => Promise<unknown>][] = [
  [
    "~/.openclaw/workspace",
    async () => {
      cpSync(join(root, "test/fixtures/openclaw"), join(home, ".openclaw/workspace"), { recursive: true });
      // It has the name of a skill that comes with cortex.
      rmSync(join(home, ".openclaw/workspace/.agents"), { recursive: true });
    },
  ],
  [
    "--folder ~/code/garden",
    async () => {
      if (!existsSync(join(home, "code"))) makeRepository(join(home, "code/garden"), { "beds.txt": "peas\n" });
      configure({ folders: [join(home, "code")] });
      return type("npx cortex up");
    },
  ],
  [
    "webhook-signature",
    async () => {
      // As a reader would: the settings first, and the secret as the block makes it.
      const [shown] = inline.flatMap(({ code }) => (code.startsWith('"channels": {"webhook"') ? [code] : []));
      const { channels } = JSON.parse(`{${shown}}`) as { channels: { webhook: Record<string, unknown> } };
      configure({ channels: { webhook: { ...channels.webhook, port: webhookPort } } });
      return type("npx cortex up");
    },
  ],
];

function configure(more: Record<string, unknown>): void {
  const path = join(journal, "cortex.json");
  const settings = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>) : {};
  writeFileSync(path, JSON.stringify({ ...settings, ...more }));
}

function env(): Record<string, string> {
  return {
    PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(":"),
    HOME: home,
    CORTEX_TZ: "UTC",
    CORTEX_MCP_PORT: "0",
    CORTEX_WEB_PORT: "0",
    JOURNAL_PATH: journal,
  };
}

const asTyped = (line: string) => table.reduce((text, [pattern, typed]) => text.replace(pattern, typed), line);

async function type(text: string) {
  const script = `set -e -o pipefail\n${text.split("\n").map(asTyped).join("\n")}`;
  return execa("bash", ["-c", script], {
    cwd: root,
    env: env(),
    extendEnv: false,
    input: "123456:a-token\n",
    reject: false,
    all: true,
    timeout: 4 * patienceMs,
  });
}

afterAll(async () => {
  const pid = Number(readFileSync(join(home, "up.pid"), { encoding: "utf8", flag: "a+" }));
  if (pid > 0) await execa("npx", ["cortex", "down"], { env: env(), extendEnv: false, reject: false, cwd: root });
  const left = await leftOf(home);
  rmSync(home, { recursive: true, force: true });
  expect(left).toEqual([]);
}, 2 * patienceMs);

/** Installing and testing is what runs this. */
const isAboutItself = (text: string) => text.startsWith("npm ci");
const shown = blocks.filter(({ language, text }) => language === "sh" && !isAboutItself(text));

test("pages have blocks of commands", () => expect(shown.length).toBeGreaterThan(6));

test.each(shown)("the commands of $page work as they stand: $text", { timeout: 6 * patienceMs }, async ({ text }) => {
  for (const [holds, make] of before) if (text.includes(holds)) await make();
  const { exitCode, all } = await type(text);
  expect(exitCode, all).toBe(0);
});

const programs = blocks.filter(({ language }) => language === "js");
test.each(programs)("the program of $page runs as it stands", { timeout: 4 * patienceMs }, async ({ text }) => {
  mkdirSync(join(home, "node_modules", "@cortex-run"), { recursive: true });
  symlinkSync(root, join(home, "node_modules", "@cortex-run", "cortex"));
  writeFileSync(join(home, "program.mjs"), text);
  const { exitCode, all } = await execa(process.execPath, ["program.mjs"], {
    cwd: home,
    env: env(),
    extendEnv: false,
    reject: false,
    all: true,
  });
  expect(exitCode, all).toBe(0);
  expect(all).toContain("finish");
});

test("a backend of one's own, as the README declares it, is found in the journal", {
  timeout: 4 * patienceMs,
}, async () => {
  const [declared] = inline.flatMap(({ code }) => (/^"backends": \{"mine".*agent\.py/.test(code) ? [code] : []));
  const agent =
    'import json, sys\nline = json.loads(sys.stdin.readline())\nprint(json.dumps({"event": "finish", "result": "mine: " + line["prompt"]}))\n';
  writeFileSync(join(journal, "agent.py"), agent);
  configure(JSON.parse(`{${declared}}`) as Record<string, unknown>);
  const { all } = await type("until npx cortex-request -b mine hello; do sleep 0.2; done");
  expect(all).toContain("mine: hello");
});

const apps = blocks.filter(({ page, language }) => page === "docs/apps.md" && language === "ts");
test.each(apps)("the tool of $page does what it says", async ({ text }) => {
  const path = join(root, "test", "docs", `.tool-${process.pid}.ts`); // beside what it imports
  writeFileSync(path, text);
  try {
    const { default: tool } = (await import(path)) as { default: { run: (input: unknown) => unknown } };
    expect(tool.run({ value: 1, from: "km", to: "m" })).toEqual({ value: 1000, unit: "m" });
  } finally {
    rmSync(path);
  }
});

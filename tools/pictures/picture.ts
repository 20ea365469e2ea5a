/** `npm run picture`: types a few commands on a copy of the example journal and draws what the terminal shows, `docs/terminal.svg`. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [columns, lineHeight, charWidth, margin] = [92, 19, 8.2, 18];
/** The typed commands, each with as many lines as tell what it does. */
const session: [typed: string, args: string[], lines: number][] = [
  [
    'cortex-request "What did we decide about the greenhouse heater?"',
    ["request", "What did we decide about the greenhouse heater?"],
    9,
  ],
  ["cortex runs tail 4711   # the run is a file: a line an event", ["runs", "tail"], 9],
];

const folder = mkdtempSync(join(tmpdir(), "cortex-picture-"));
const journal = join(folder, "journal");
cpSync(join(root, "examples/journal"), journal, { recursive: true });
const { PATH = "", HOME = "" } = process.env;
const env = { PATH, HOME, JOURNAL_PATH: journal, CORTEX_MCP_PORT: "0", CORTEX_WEB_PORT: "0", CORTEX_TZ: "UTC" };
const cortex = (args: string[]) =>
  execa(process.execPath, [join(root, "bin/cortex.js"), ...args], {
    env,
    extendEnv: false,
    all: true,
    stdin: "ignore",
  });

try {
  await cortex(["up", "--detach"]);
  const shown: string[] = [];
  let id = "";
  for (const [typed, args, lines] of session) {
    const { all } = await cortex(id === "" ? args : [...args, id]);
    const { stdout } = await cortex(["runs", "list", "-n", "1", "--json"]);
    id = (JSON.parse(stdout) as { runs: { agent_id: string }[] }).runs[0]?.agent_id ?? "";
    shown.push(`$ ${typed.replace("4711", id.slice(-4))}`, ...cut(all.split("\n").filter(tells), lines), "");
  }
  writeFileSync(join(root, "docs/terminal.svg"), svgOf(shown.slice(0, -1)));
} finally {
  await cortex(["down"]);
  rmSync(folder, { recursive: true, force: true });
}

/** A blank line doesn't, nor that a call has begun which has ended in the next. */
function tells(line: string): boolean {
  return line !== "" && !line.endsWith("… running");
}

function cut(lines: string[], most: number): string[] {
  const kept = lines.slice(0, most).map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
  return lines.length > most ? [...kept, "…"] : kept;
}

function svgOf(lines: string[]): string {
  const [width, height] = [columns * charWidth + 2 * margin, lines.length * lineHeight + 2 * margin];
  const text = lines.map((line, index) => {
    const fill = line.startsWith("$ ") ? "#7ee787" : "#e6edf3";
    return `<text x="${margin}" y="${margin + (index + 0.8) * lineHeight}" fill="${fill}">${escaped(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: a request, its answer, and the events of its run" font-family="ui-monospace, monospace" font-size="13.6" xml:space="preserve">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${text.join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** The package as a library: what compiles, what it exports, and what is in it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { patienceMs } from "../support/patience.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tsc = join(root, "node_modules/.bin/tsc");
const patient = { timeout: 2 * patienceMs };

const right = [
  `cortexRequest({ prompt: "x" })`,
  `cortexRequest({ prompt: "x", ts: 1736380800000, tools: ["read"], env: { A: "1" }, max_cost_usd: 1 })`,
  `cortexRequest({ prompt: "x", handoff: { persona: "reviewer", handoff: { prompt: "y" } } })`,
  `cortexRequest<{ voice: string }>({ prompt: "x", voice: "low" })`,
  `cortexRequest({ prompt: "x" } satisfies RequestFields).then(({ agent_id }) => agent_id.length)`,
  `cortexRequest({ prompt: "x" }).then(async ({ result }) => (await result).event satisfies string)`,
  `cortexRequest({ prompt: "x" }).catch((e) => (e instanceof RejectedError ? e.reason.length : 0))`,
  `cortexRequest({ prompt: "x" }).catch((e) => (e instanceof NoCortexError ? e.agentId.length : 0))`,
  `cortexRequest({ prompt: "x" }).catch((e) => (e instanceof CommandError ? e.exitCode.toFixed() : e as TooLargeError))`,
];

const wrong = [
  `cortexRequest({ promt: "x" })`,
  `cortexRequest({ prompt: 42 })`,
  `cortexRequest({})`,
  `cortexRequest({ prompt: "x", promt: "y" })`,
  `cortexRequest({ prompt: "x", voice: "low" })`,
  `cortexRequest({ prompt: "x", max_cost_usd: "1" })`,
  `cortexRequest({ prompt: "x", env: { A: 1 } })`,
  `cortexRequest({ prompt: "x", handoff: { persna: "reviewer" } })`,
  `cortexRequest({ prompt: "x", handoff: { handoff: { promt: "y" } } })`,
  `cortexRequest<{ voice: string }>({ prompt: "x", voice: 1 })`,
  `cortexRequest({ prompt: "x", agent: "another's" })`,
];

test("a right call compiles, and each wrong one doesn't", patient, async () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const exported = "cortexRequest, CommandError, NoCortexError, RejectedError, TooLargeError";
  const header = `import { ${exported}, type RequestFields } from "${join(root, "scripts/library.ts")}";`;
  const use = `export const used = [${exported}];`;
  writeFileSync(
    join(folder, "calls.ts"),
    [header, use, ...right.map((call) => `void ${call};`), ...wrong.map((call) => `void ${call};`)].join("\n"),
  );
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const types = {
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
    rewriteRelativeImportExtensions: false,
  };
  const config = { extends: join(root, "tsconfig.json"), compilerOptions: types, files: ["calls.ts"], include: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = await execa(tsc, ["-p", folder, "--pretty", "false"], { reject: false, cwd: folder });
  const lines = new Set([...stdout.matchAll(/^calls\.ts\((\d+),/gm)].map(([, line]) => Number(line)));
  const first = 3 + right.length;
  expect(
    [...lines].toSorted((a, b) => a - b),
    stdout,
  ).toEqual(wrong.map((_, at) => first + at));
  expect(stdout.split("\n").filter((line) => /error/.test(line) && !line.startsWith("calls.ts"))).toEqual([]);
});

test("the declared names are those that are exported", async () => {
  const library = await import("../../scripts/library.ts");
  const { stdout } = await execa(process.execPath, [
    "-e",
    `import(${JSON.stringify(join(root, "index.js"))}).then((all) => console.log(JSON.stringify(Object.keys(all))))`,
  ]);
  expect((JSON.parse(stdout) as string[]).toSorted()).toEqual(Object.keys(library).toSorted());
});

test("the package ships no tests, and says which Node it needs", patient, async () => {
  const { stdout: built } = await execa(tsc, ["-p", join(root, "tsconfig.build.json"), "--listFilesOnly"], {
    cwd: root,
  });
  const own = built.split("\n").filter((path) => path.startsWith(root) && !path.includes("/node_modules/"));
  expect(own.length).toBeGreaterThan(100);
  expect(own.filter((path) => /\/(test|bench|examples)\/|vitest|\.test\./.test(path.slice(root.length - 1)))).toEqual(
    [],
  );
  const { stdout } = await execa("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root });
  const packed = JSON.parse(stdout) as { files: { path: string }[] }[] | Record<string, { files: { path: string }[] }>;
  const paths = Object.values(packed).flatMap(({ files }) => files.map(({ path }) => path));
  expect(paths).toEqual(
    expect.arrayContaining(["package.json", "index.js", "index.d.ts", "bin/cortex.js", "README.md"]),
  );
  // What programs read at run time, by its place in the package.
  const skills = ["code-review", "research-report", "weekly-review"].map((name) => `skills/${name}/SKILL.md`);
  const personas = ["main", "general", "explore", "plan"].flatMap((name) => [
    `personas/${name}.txt`,
    `personas/${name}.json`,
  ]);
  expect(paths).toEqual(expect.arrayContaining([...skills, ...personas]));
  expect(paths.filter((path) => /(^|\/)(test|bench)\/|\.test\.|vitest/.test(path))).toEqual([]);
  const { engines } = (await import("../../package.json", { with: { type: "json" } })).default;
  expect(engines).toEqual({ node: ">=24" });
});

/**
 * The effect of a request's `env` on programs that read it: with real interpreters, which run no code of the
 * requester's.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CortexSystem } from "../../support/cortex-system.ts";

const finish = '{"event":"finish","result":"done"}';
const program = (interpreter: string, text: string) => ({ command: [interpreter, "-c", text] });

const interpreters = {
  python: program("python3", `print('${finish}')`),
  perl: { command: ["perl", "-e", `print q(${finish}), qq(\n)`] },
  bash: program("bash", `echo '${finish}'`),
};
const teller = program("sh", `printf '{"event":"finish","result":"%s"}\n' "$COLOUR"`);
const system = await CortexSystem.start({
  settings: {
    default_backend: "python",
    backends: {
      ...interpreters,
      listed: { ...teller, request_env: ["COLOUR"] },
      none: { ...teller, request_env: [] },
    },
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const mark = join(system.journal, "code-ran");
const script = join(system.journal, "script");
mkdirSync(join(system.journal, "lib"));
writeFileSync(script, `touch ${mark}\n`);
writeFileSync(join(system.journal, "lib/Evil.pm"), `package Evil; open(my $f, ">", "${mark}"); 1;\n`);

const attacks: [backend: keyof typeof interpreters, env: Record<string, string>][] = [
  // The warning's category is imported, and antigravity opens a page in what BROWSER names.
  ["python", { PYTHONWARNINGS: "all:0:antigravity.x:0:0", BROWSER: `/bin/sh -c "touch ${mark}" #%s` }],
  ["perl", { PERL5OPT: `-I${join(system.journal, "lib")} -MEvil` }],
  ["bash", { BASH_ENV: script }],
];

describe("code in an environment", () => {
  test.each(attacks)("would be run by %s", (backend, env) => {
    const [command = "", ...args] = interpreters[backend].command;
    execFileSync(command, args, { env: { PATH: process.env["PATH"], ...env }, stdio: ["ignore", "pipe", "ignore"] });
    expect(existsSync(mark)).toBe(true);
    rmSync(mark);
  });

  test.each(attacks)("a refused variable is named for %s, and nothing runs", async (backend, env) => {
    const file = await system.settled(system.request({ prompt: "x", backend, env }));
    expect(file.at(-1)).toMatchObject({ event: "error", reason: "config" });
    for (const name of Object.keys(env)) expect(file.at(-1)?.["error"]).toContain(name);
    expect(file.at(-1)?.["error"]).toContain(`backends.${backend}.request_env`);
    expect(existsSync(mark)).toBe(false);
  });
});

test("a backend with a list takes what stands there and nothing else", async () => {
  const ask = async (backend: string, env: Record<string, string>) =>
    (await system.settled(system.request({ prompt: "x", backend, env }))).at(-1);
  expect(await ask("listed", { COLOUR: "green" })).toMatchObject({ event: "finish", result: "green" });
  expect(await ask("listed", { COLOUR: "green", SHAPE: "round" })).toMatchObject({
    reason: "config",
    error: "env may not set SHAPE: backends.listed.request_env allows COLOUR alone",
  });
  expect(await ask("none", { COLOUR: "green" })).toMatchObject({ error: expect.stringContaining("allows none") });
  expect(await ask("none", {})).toMatchObject({ event: "finish" });
});

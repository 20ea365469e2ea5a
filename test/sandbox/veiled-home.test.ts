/** The user's home in a real sandbox: what is hidden in it stays so, whatever is put there while a command runs. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageFile } from "../../proc/programs/package-file.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { askUntil } from "../support/ask-until.ts";
import { patienceMs } from "../support/patience.ts";
import { WalledShell } from "../support/walled-shell.ts";

const here = await findSandbox();

describe.skipIf(here.level === "none")("in a sandbox", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veiled-")));
  // What is below /tmp is hidden in any case.
  const home = mkdtempSync(join(packageFile("dist"), "home-"));
  let shell: WalledShell;

  beforeAll(() => {
    chmodSync(home, 0o755);
    const order = { journal: join(root, "journal"), folder: join(root, "work"), own: join(root, "own") };
    for (const folder of ["own/tmp", "work", "journal/.state"]) mkdirSync(join(root, folder), { recursive: true });
    const files = { ".netrc": "old secret", ".claude.json": "old secret", ".bashrc": "alias", "notes/a.txt": "mine" };
    for (const [name, text] of Object.entries({ ...files, "keys/kube": "old secret" })) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    }
    symlinkSync("notes", join(home, "linked"));
    const env = { TMPDIR: root, HOME: home, KUBECONFIG: `${join(home, "keys/kube")}:relative` };
    shell = new WalledShell(process.getuid?.() ?? 0, order, env);
  });
  afterAll(() => {
    shell[Symbol.dispose]();
    rmSync(home, { recursive: true });
    rmSync(root, { recursive: true });
  });

  const secrets = `for f in .netrc .claude.json .aws/credentials keys/kube; do cat ${home}/$f; done 2>/dev/null`;

  test("a home can be read and listed but for its secrets, and not written", async () => {
    const { output } = await shell.run({
      command: `cat ${home}/.bashrc ${home}/linked/a.txt; ls -A ${home} | tr '\\n' ' '; ${secrets}; echo x 2>/dev/null >${home}/x || echo shut`,
    });
    expect(output).toMatch(/^aliasmine\.bashrc keys linked notes shut\n$/);
  });

  test("a secret that is replaced or made while a command runs isn't there for it", async () => {
    const begun = join(root, "work/begun");
    const running = shell.run({
      command: `echo >begun; until [ -e go ]; do sleep 0.05; done; ${secrets}; ls -A ${home} | wc -l`,
    });
    await askUntil(
      () => existsSync(begun),
      () => "it has begun",
      patienceMs,
    );
    for (const name of [".netrc", ".claude.json"]) {
      writeFileSync(join(home, "new"), "new secret");
      renameSync(join(home, "new"), join(home, name));
    }
    mkdirSync(join(home, ".aws"));
    writeFileSync(join(home, ".aws/credentials"), "new secret");
    writeFileSync(join(root, "work/go"), "");
    expect((await running).output).toBe("4\n");
  });
});

/** Ways out of the sandbox, each tried in a real one: as this user, and as an ordinary one where this is root. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../proc/os/find-program.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { openPort } from "../support/open-port.ts";

const found = await findSandbox();
const run = promisify(execFile);
const fixture = join(import.meta.dirname, "../fixtures/sandbox/walled.ts");
const nobody = 65_534;

const isRoot = process.getuid?.() === 0;
const users = isRoot && findProgram("setpriv") ? [0, nobody] : [process.getuid?.() ?? 0];

describe.skipIf(found.level === "none").each(users)("as user %i", (uid) => {
  let root: string;
  let port: { number: number; close: () => void };
  const at = (...parts: string[]) => join(root, ...parts);

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "escapes-")));
    for (const folder of [
      "own",
      "own/tmp",
      "work/.git/hooks",
      "work/sub",
      "journal/.run",
      "journal/.state",
      "journal/runs",
    ])
      mkdirSync(at(folder), { recursive: true });
    for (const folder of ["journal/agents/other/work", "journal/20250109"]) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at("journal/.run/endpoints.json"), '{"token":"secret-token"}');
    writeFileSync(at("journal/agents/other/work/diary.txt"), "secret-diary");
    writeFileSync(at("journal/20250109/notes.md"), "bought seeds");
    writeFileSync(at("journal/cortex.json"), '{"key":"secret-key"}');
    writeFileSync(at("work/.git/config"), "[core]\n");
    writeFileSync(at("outside.txt"), "before");
    symlinkSync(at("outside.txt"), at("work/link"));
    port = await openPort();
    // What is tried is the wall, not the modes of files: all of it belongs to whoever tries.
    if (uid !== process.getuid?.()) await run("chown", ["-R", `${uid}:${uid}`, root]);
  });

  afterAll(() => {
    port.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function inside(command: string): Promise<{ code: number; output: string }> {
    const hidden = [".run", ".state", "runs", "agents", "cortex.json"].map((name) => at("journal", name));
    const order = {
      folder: at("work"),
      scratch: at("own/tmp"),
      own: at("own"),
      hidden,
      shown: [at("journal")],
      command,
    };
    const drop = ["--reuid", String(uid), "--regid", String(uid), "--clear-groups"];
    const argv = [process.execPath, fixture, JSON.stringify(order)];
    const [program = "", ...args] = uid === process.getuid?.() ? argv : ["setpriv", ...drop, ...argv];
    const env = { PATH: process.env["PATH"], SECRET_KEY: "secret-environment", TMPDIR: root };
    const { stdout } = await run(program, args, { env, cwd: "/", maxBuffer: 1e6 });
    const answer = JSON.parse(stdout) as { code: number; output: string; uid: number };
    expect(answer.uid).toBe(uid);
    return answer;
  }

  test("a command reads the journal's notes and writes in its work folder", async () => {
    const { code, output } = await inside(`cat ${at("journal/20250109/notes.md")} && echo made >made.txt && pwd`);
    expect([code, output]).toEqual([0, `bought seeds${at("work")}\n`]);
    expect(readFileSync(at("work/made.txt"), "utf8")).toBe("made\n");
  });

  test("secrets can be neither read nor listed, whatever the way there", async () => {
    symlinkSync(at("journal/.run"), at("work/door"));
    const { output } = await inside(`
      cd ${at("journal")}
      for p in .run .state runs agents agents/other agents/other/work; do ls $p && echo LISTED $p; done
      cat .run/endpoints.json agents/other/work/diary.txt cortex.json ${at("work/door/endpoints.json")} \
        20250109/../.run/endpoints.json /proc/1/root${at("journal/.run/endpoints.json")} /etc/shadow
      chmod 777 .run; umount .run; umount -l ${at("journal/cortex.json")}; mv .run gone; echo x >.run/new
      cat cortex.json .run/endpoints.json; ls .run && echo LISTED again; true`);
    expect(output).not.toMatch(/secret|LISTED|root:/);
  });

  test("nothing is written outside, not through a link either", async () => {
    const { output } = await inside(`
      echo after >link; echo after >>${at("outside.txt")}; rm -f ${at("outside.txt")}; echo x >${at("journal/20250109/x")}
      ln ${at("outside.txt")} hard && echo after >hard; touch /usr/bin/x /etc/x && echo WROTE; true`);
    expect(output).not.toContain("WROTE");
    expect(readFileSync(at("outside.txt"), "utf8")).toBe("before");
    expect(existsSync(at("journal/20250109/x"))).toBe(false);
  });

  test("no process and no environment of others is there, and its own first one knows no key", async () => {
    const { output } = await inside(
      `cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/${process.pid}/environ /proc/${process.pid}/cmdline; ls -d /proc/[0-9]* | wc -l`,
    );
    expect(output).not.toContain("secret-environment");
    expect(Number(output.trim().split("\n").at(-1))).toBeLessThan(10);
  });

  test("no port of this machine can be reached, nor a socket of the file system", async () => {
    const { output } = await inside(`
      (echo hello >/dev/tcp/127.0.0.1/${port.number}) && echo REACHED
      python3 -c 'import socket; socket.socket(socket.AF_UNIX); print("SOCKET")'; true`);
    expect(output).not.toMatch(/REACHED|SOCKET/);
  });

  test("no capability is left, and none can be had", async () => {
    const { output } = await inside(
      `grep -E '^Cap(Prm|Eff|Bnd|Amb|Inh)' /proc/self/status; unshare -Ur true && echo NAMESPACE; mount -t tmpfs x /mnt && echo MOUNTED; true`,
    );
    expect(output.match(/0000000000000000/g)).toHaveLength(5);
    expect(output).not.toMatch(/NAMESPACE|MOUNTED/);
  });

  test("a process that leaves the group ends with the command", async () => {
    const marker = at("work/alive");
    await inside(
      `setsid sh -c 'while :; do echo x >>${marker}; sleep 0.05; done' >/dev/null 2>&1 </dev/null & sleep 0.3`,
    );
    const size = statSync(marker).size;
    expect(size).toBeGreaterThan(0);
    // Whatever ends with the command has ended when its exit is known.
    await inside("sleep 0.3");
    expect(statSync(marker).size).toBe(size);
  });

  test("a fork bomb comes to the limit of processes and stays there", async () => {
    // A shell that can't fork ends at once.
    await inside(`/bin/sh -c 'i=0; while [ $i -lt 600 ]; do sleep 20 & i=$((i+1)); echo $i >count; done'`);
    const started = Number(readFileSync(at("work/count"), "utf8"));
    expect(started).toBeGreaterThan(50);
    // Root is held by the number of process ids, the first 300 of which are given once.
    expect(started).toBeLessThanOrEqual(100 + (uid === 0 ? 300 : 0));
  });

  test("no set-uid program is left behind, by any call", async () => {
    const { output } = await inside(
      `
      cp /bin/true own; chmod 4755 own && echo SET; chmod u+s own && echo SET; install -m 4755 /bin/true installed && echo SET
      python3 -c 'import os
      for call in (lambda: os.open("made", os.O_CREAT | os.O_WRONLY, 0o6755), lambda: os.fchmod(os.open("own", 0), 0o6755)):
        try: call(); print("SET")
        except PermissionError: pass'; true`
        .replaceAll("\n      for call", "\nfor call")
        .replaceAll("\n        ", "\n  "),
    );
    expect(output).not.toContain("SET");
    for (const name of ["own", "installed", "made"])
      if (existsSync(at("work", name))) expect(statSync(at("work", name)).mode & 0o6000).toBe(0);
  });

  test("no device can be made or read", async () => {
    const { output } = await inside(
      "mknod d b 8 0 && echo MADE; ls /dev/sd* /dev/vd* /dev/mem /dev/kmsg 2>/dev/null && echo SEEN; true",
    );
    expect(output).not.toMatch(/MADE|SEEN/);
  });

  test("hooks and settings of git stay as they are, by any way there", async () => {
    const { output } = await inside(`
      echo evil >.git/hooks/pre-commit && echo WROTE; echo evil >sub/../.git/hooks/../hooks/pre-push && echo WROTE
      echo evil >>.git/config && echo WROTE; git config core.hooksPath ../../evil && echo WROTE
      mv .git moved && echo WROTE; rm -rf .git; mv .git/hooks .git/h2 && echo WROTE; echo data >.git/index; true`);
    expect(output).not.toContain("WROTE");
    expect(existsSync(at("work/.git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(at("work/.git/config"), "utf8")).toBe("[core]\n");
    expect(readFileSync(at("work/.git/index"), "utf8")).toBe("data\n");
  });

  test("a file larger than allowed isn't written", async () => {
    await inside("head -c 30000000 /dev/zero >large");
    expect(statSync(at("work/large")).size).toBeLessThanOrEqual(8 * 1024 * 1024);
  });
});

test.runIf(found.level === "none")("this machine has no sandbox, and says why", () => {
  expect(found.why).not.toBe("");
});

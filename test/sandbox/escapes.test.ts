/** Ways out of the sandbox, each tried in a real one: as this user, and as an ordinary one where this is root. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  openSync,
  readSync,
} from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsToken } from "../../journal/access/tokens.ts";
import { keepSettings } from "../../journal/config/kept-settings.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { openPort } from "../support/network/open-port.ts";
import { makeJournal, startTools } from "../mcp-tools/tools-server.ts";
import { users, WalledShell } from "../support/walled-shell.ts";

/** Files of a home that hold keys. It stands where all else can be read. */
const ofHome = [
  ".ssh/id_ed25519",
  ".gnupg/private-keys-v1.d/key",
  ".aws/credentials",
  ".kube/config",
  ".docker/config.json",
  ".netrc",
  ".npmrc",
  ".git-credentials",
  ".config/gh/hosts.yml",
  ".config/gcloud/credentials.db",
  ".config/cortex/env",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".local/share/keyrings/login.keyring",
  ".bash_history",
];

const found = await findSandbox();
const folder = makeJournal();
const isRoot = process.getuid?.() === 0;
let server: { url: string; token: string } & AsyncDisposable;
beforeAll(async () => {
  const { journal } = folder;
  const tools = await startTools(journal);
  const { url, stop } = tools;
  server = { url, token: await commandsToken(journal), [Symbol.asyncDispose]: async () => void (await stop()) };
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe.skipIf(found.level === "none").each(users)("as user %i", (uid) => {
  let root: string;
  let port: { number: number; close: () => void };
  let shell: WalledShell;
  const at = (...parts: string[]) => join(root, ...parts);
  const inside = (command: string, network: string[] = []) => shell.run({ command, network });

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
    for (const path of ["notes.txt", ...ofHome]) {
      mkdirSync(dirname(at("journal/home", path)), { recursive: true });
      writeFileSync(at("journal/home", path), path === "notes.txt" ? "plain" : "secret-of-home");
    }
    writeFileSync(at("journal/.run/endpoints.json"), '{"token":"secret-token"}');
    writeFileSync(at("journal/agents/other/work/diary.txt"), "secret-diary");
    writeFileSync(at("journal/20250109/notes.md"), "bought seeds");
    writeFileSync(at("journal/cortex.json"), '{"key":"secret-key"}');
    writeFileSync(at("work/.git/config"), "[core]\n");
    for (const folder of ["work/app/.husky/_", "work/app/.git/modules/lib"]) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at("work/app/.git/config"), "[core]\nhooksPath = .husky/_\n[include]\npath = ../etc/git.conf\n");
    mkdirSync(at("work/app/etc"));
    for (const path of ["etc/git.conf", ".husky/pre-commit", ".git/modules/lib/config"])
      writeFileSync(at("work/app", path), "before\n");
    writeFileSync(at("outside.txt"), "before");
    symlinkSync(at("outside.txt"), at("work/link"));
    port = await openPort();
    execFileSync("mkfifo", ["-m", "666", at("journal/.run/wake")]);
    mkdirSync(at("cortex-run-other"));
    writeFileSync(at("cortex-run-other/draft.txt"), "secret-draft");
    // What is tried is the wall, not the modes of files: all of it belongs to whoever tries.
    if (uid !== process.getuid?.()) execFileSync("chown", ["-R", `${uid}:${uid}`, root]);
    const order = { journal: at("journal"), folder: at("work"), own: at("own") };
    shell = new WalledShell(uid, order, { SECRET_KEY: "secret-environment", TMPDIR: root, HOME: at("journal/home") });
  });

  afterAll(() => {
    shell[Symbol.dispose]();
    port.close();
    rmSync(root, { recursive: true, force: true });
  });

  test("a command reads the journal's notes and writes in its work folder", async () => {
    const { code, output } = await inside(`cat ${at("journal/20250109/notes.md")} && echo made >made.txt && pwd`);
    expect([code, output]).toEqual([0, `bought seeds${at("work")}\n`]);
    expect(readFileSync(at("work/made.txt"), "utf8")).toBe("made\n");
  });

  test("secrets can be neither read nor listed, whatever the way there", async () => {
    symlinkSync(at("journal/.run"), at("work/door"));
    const { output } = await inside(`
      cd ${at("journal")}
      for p in .run .state runs agents agents/other agents/other/work ${root} ${at("cortex-run-other")}; do
        ls $p/. | grep -qE '^(endpoints|other|draft|cortex-run)' && echo LISTED $p; done
      cat ${at("cortex-run-other/draft.txt")} .run/endpoints.json agents/other/work/diary.txt cortex.json ${at("work/door/endpoints.json")} \
        20250109/../.run/endpoints.json /proc/1/root${at("journal/.run/endpoints.json")} /etc/shadow
      chmod 777 .run; umount .run; umount -l ${at("journal/cortex.json")}; mv .run gone; echo x >.run/new
      cat cortex.json .run/endpoints.json; ls .run && echo LISTED again; true`);
    expect(output).not.toMatch(/secret|LISTED|root:/);
  });

  test("the files of a home that hold keys can be neither read nor listed, and those beside them can be read", async () => {
    const { output } = await inside(`
      cd ${at("journal/home")}; cat notes.txt; cat ${ofHome.join(" ")}; grep -r secret-of-home . && echo FOUND
      ls .ssh/. .aws/. .config/gh/. | grep -E 'id_ed25519|credentials|hosts'; true`);
    expect(output).toContain("plain");
    expect(output).not.toMatch(/secret|FOUND|^(id_ed25519|credentials|hosts)/m);
  });

  test("a file that the settings name for a key can't be read, wherever it stands, nor while the settings are broken", async () => {
    const named = [at("journal/20250109/bot.txt"), at("journal/home/key.txt")];
    for (const path of [...named, at("journal/home/plain.txt")]) writeFileSync(path, "secret-of-settings");
    const [bot = "", key = ""] = named;
    // One by its path in the journal, the other by a link.
    const link = at("journal/home/link.txt");
    symlinkSync(key, link);
    const before = readFileSync(at("journal/cortex.json"));
    const settings = JSON.stringify({
      channels: { telegram: { token_file: "20250109/bot.txt", enabled: false } },
      web_search: { brave_key_file: link },
    });
    keepSettings(at("journal"), settings);
    chownSync(at("journal/.state/settings.json"), uid, -1);
    for (const text of [settings, "{ broken"]) {
      writeFileSync(at("journal/cortex.json"), text);
      const { output } = await inside(`cat ${bot} ${key} ${link}; cat ${at("journal/home/plain.txt")}`);
      expect(output.match(/secret/g)).toHaveLength(1);
    }
    writeFileSync(at("journal/cortex.json"), before);
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
      `cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/${process.pid}/environ /proc/${process.pid}/cmdline; echo $(ls -d /proc/[0-9]* | wc -l) PROCESSES`,
    );
    expect(output).not.toContain("secret-environment");
    expect(Number(/(\d+) PROCESSES/.exec(output)?.[1])).toBeLessThan(10);
  });

  test("no port of this machine can be reached, nor a socket of the file system", async () => {
    const { output } = await inside(`
      (echo hello >/dev/tcp/127.0.0.1/${port.number}) && echo REACHED
      python3 -c 'import socket; socket.socket(socket.AF_UNIX); print("SOCKET")'; true`);
    expect(output).not.toMatch(/REACHED|SOCKET/);
  });

  test("the tool server isn't reached with a token that was stolen, by no way out that there is", async () => {
    const { token } = server;
    const asking = (url: string) =>
      `curl -s -o answer -w '%{http_code} ' -X POST -H 'Authorization: Bearer ${token}' -H 'Accept: application/json, text/event-stream' \
        -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' ${url}`;
    // It is the wall that holds: outside, the token is good.
    expect(execFileSync("sh", ["-c", asking(server.url)], { cwd: at("own"), encoding: "utf8" })).toBe("200 ");
    const elsewhere = ["*", "example.org", `localhost:${port.number}`];
    const straight = await inside(`${asking(server.url)}; ${asking(server.url.replace("127.0.0.1", "localhost"))}`);
    const proxied = await inside(`${asking(`--noproxy '' ${server.url}`)}; ${asking(server.url)}`, elsewhere);
    expect([straight.output, proxied.output]).toEqual(["000 000 ", "403 000 "]);
  });

  test("no capability is left, and none can be had", async () => {
    const { output } = await inside(
      `grep -E '^Cap(Prm|Eff|Bnd|Amb|Inh)' /proc/self/status; unshare -Ur true && echo NAMESPACE; mount -t tmpfs x /mnt && echo MOUNTED; true`,
    );
    expect(output.match(/0000000000000000/g)).toHaveLength(5);
    expect(output).not.toMatch(/NAMESPACE|MOUNTED/);
  });

  test("a set-uid program of the system gains nothing", async () => {
    const { output } = await inside(`
      grep NoNewPrivs /proc/self/status
      for p in su mount umount passwd newgrp; do [ -u "$(command -v $p)" ] && echo INSTALLED; done
      su root -c 'id -u; grep CapEff /proc/self/status; cat /etc/shadow' </dev/null
      mount -t tmpfs x /mnt && echo MOUNTED; umount /tmp && echo UNMOUNTED; true`);
    expect(output).toMatch(/^NoNewPrivs:\t1$/m);
    expect(output).toContain("INSTALLED");
    expect(output).not.toMatch(/MOUNTED|root:/);
    expect(output).not.toMatch(/CapEff:\t.*[1-9a-f]/);
    if (uid !== 0) expect(output).not.toMatch(/^0$/m);
  });

  test.runIf(isRoot && uid !== 0)(
    "root's set-uid program, which makes root of everybody outside, makes nobody",
    async ({ skip }) => {
      const program = at("journal/20250109/id");
      copyFileSync("/usr/bin/id", program);
      chmodSync(program, 0o4755);
      const outside = execFileSync(program, ["-u"], { uid, gid: uid, encoding: "utf8" });
      if (outside !== "0\n") skip("no set-uid program counts among temporary files here");
      expect((await inside(`${program} -u`)).output).toBe(`${uid}\n`);
    },
  );

  test("a process that leaves the group ends with the command", async () => {
    const marker = at("work/alive");
    await inside(
      `setsid sh -c 'while :; do echo x >>${marker}; sleep 0.05; done' >/dev/null 2>&1 </dev/null & until [ -s ${marker} ]; do sleep 0.05; done`,
    );
    // The kernel ends what is left of a namespace moments after the command's exit is known: one that lives writes on and on.
    const grown = async () => {
      const before = statSync(marker).size;
      await inside("sleep 0.3");
      return statSync(marker).size - before;
    };
    await expect.poll(grown).toBe(0);
  });

  test("a fork bomb comes to the limit of processes and stays there", async () => {
    // A shell that can't fork ends at once.
    await inside(`/bin/sh -c 'i=0; while [ $i -lt 600 ]; do sleep 600 & i=$((i+1)); echo $i >count; done'`);
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

  test.runIf(isRoot)("a device that stands in the work folder can't be opened", async () => {
    execFileSync("mknod", ["-m", "666", at("work/zero"), "c", "1", "5"]);
    const { output } = await inside("head -c 1 zero >/dev/null && echo READ; echo x >zero && echo WROTE; true");
    expect(output).not.toMatch(/READ|WROTE/);
  });

  test("a FIFO of a run's isn't there, and one of the command's own holds up nobody outside", async () => {
    const wake = at("journal/.run/wake");
    const bell = openSync(wake, constants.O_RDONLY | constants.O_NONBLOCK);
    const { output, code } = await inside(
      `(timeout 1 sh -c 'echo rung >${wake}') && echo RANG; mkfifo own-fifo; (cat own-fifo >/dev/null &) ; echo made`,
    );
    expect([output.includes("RANG"), output.includes("made"), code]).toEqual([false, true, 0]);
    expect(readSync(bell, Buffer.alloc(9))).toBe(0);
    closeSync(bell);
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

  test("hooks in the work tree, settings that settings include, and submodules' stay as they are, by any way there", async () => {
    const { output } = await inside(`
      cd app
      for path in .husky/_/pre-commit .husky/pre-commit .husky/new etc/git.conf .git/modules/lib/config .git/modules/new; do
        (echo evil >>$path) && echo WROTE; rm -rf $path; done
      for path in .husky .husky/_ etc etc/git.conf .git/modules .git/modules/lib .; do mv $path moved && echo WROTE; done
      cd ..; mv app moved && echo WROTE; ln -sfn /tmp app/.husky; echo free >app/etc/other; true`);
    expect(output).not.toContain("WROTE");
    for (const path of ["etc/git.conf", ".husky/pre-commit", ".git/modules/lib/config"])
      expect(readFileSync(at("work/app", path), "utf8")).toBe("before\n");
    expect(readdirSync(at("work/app/.husky"))).toEqual(["_", "pre-commit"]);
    expect(readFileSync(at("work/app/etc/other"), "utf8")).toBe("free\n");
  });

  test("a file larger than allowed isn't written", async () => {
    await inside("head -c 30000000 /dev/zero >large");
    expect(statSync(at("work/large")).size).toBeLessThanOrEqual(8 * 1024 * 1024);
  });
});

test.runIf(found.level === "none")("this machine has no sandbox, and says why", () => {
  expect(found.why).not.toBe("");
});

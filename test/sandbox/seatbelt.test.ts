/** The wall of macOS as it is asked for: the profile of sandbox-exec, and the proxy that it leaves open. No Mac is needed. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { askProgram } from "../../proc/os/ask-program.ts";
import { findProgram } from "../../proc/os/find-program.ts";
import { networkRules } from "../../sandbox/network/checked-address.ts";
import { listeningProxy } from "../../sandbox/network/listening-proxy.ts";
import { findSandbox, sandboxRemedy } from "../../sandbox/sandbox-level.ts";
import { inSeatbelt } from "../../sandbox/walls/seatbelt.ts";
import { patienceMs } from "../support/patience.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "seatbelt-")));
afterAll(() => rmSync(root, { recursive: true }));

describe("its profile", () => {
  const path = (name: string) => join(root, name);
  for (const name of ["work/.git/hooks", "scratch", "home/.ssh", "shown/.state"])
    mkdirSync(path(name), { recursive: true });
  const walls = {
    folder: path("work"),
    scratch: path("scratch"),
    hidden: [path("home/.ssh"), path("shown/.state"), root],
    shown: [path("shown")],
  };

  async function started(proxyPort: number | null, env = {}, command = ["printf", "%s", "it's $HOME"]) {
    const wall = { kind: "seatbelt", shell: "/bin/bash" } as const;
    return inSeatbelt(wall, walls, { command, proxyPort, env });
  }

  const profileOf = ({ command }: { command: string[] }) =>
    (command[2] ?? "").replaceAll(/\s*\(with message "[^"]*"\)/g, "");
  const rule = (text: string, what: string) => (new RegExp(`\\(${what}\n?([^)]*\\)\n?)*?\\)`).exec(text) ?? [""])[0];

  test("denies all but what it names: reads of what is hidden, writes but to its folder, and the network", async () => {
    const text = profileOf(await started(null));
    expect(text).toContain("/usr/bin/sandbox-exec -p");
    expect(text).toContain("(deny default");
    expect(text).not.toContain("(allow network");
    const [, , reads = "", writes = ""] = text.split(/; (?:Network|File read|File write)\n/);
    expect(rule(reads, "deny file-read\\*")).toContain(`(subpath "${path("home/.ssh")}")`);
    expect(reads).toMatch(new RegExp(`allow file-read\\*\\s+\\(subpath "${path("shown")}"`));
    // Below what is shown it is hidden all the same.
    expect(reads.lastIndexOf(`(subpath "${path("shown/.state")}")`)).toBeGreaterThan(
      reads.indexOf(`"${path("shown")}"`),
    );
    const allowed = rule(writes, "allow file-write\\*");
    expect(allowed.match(/subpath "[^"]*"/g)).toEqual(["work", "scratch"].map((name) => `subpath "${path(name)}"`));
    expect(rule(writes, "deny file-write\\*")).toContain(`(subpath "${path("work/.git/hooks")}")`);
  });

  test("leaves one port of this machine open", async () => {
    const { command } = await started(4321);
    const rules = profileOf({ command }).match(/\((allow|deny) network.*/g);
    expect(rules?.map((line) => line.replace(/^\(allow network-\w+ /, ""))).toEqual(
      Array.from({ length: 3 }, (_, index) => `(${index < 2 ? "local" : "remote"} ip "localhost:4321"))`),
    );
  });

  test("the command starts in its folder, word for word, with its variables, whose values no argument has", async () => {
    const command = ["/bin/sh", "-c", 'printf \'%s %s\' "$PWD" "$HTTP_PROXY it\'s"'];
    const { command: whole, env } = await started(4321, { HTTP_PROXY: "http://secret" }, command);
    expect(whole.join(" ")).not.toContain("secret");
    // What sandbox-exec would start.
    const inner = (whole[2] ?? "").replace(/\/usr\/bin\/sandbox-exec -p '[^]*?' (?=\/\S*bash -c)/, "");
    const { stdout } = await execa("/bin/bash", ["-c", inner], { env: { ...env, PATH: process.env["PATH"] } });
    expect(stdout).toBe(`${path("work")} http://secret it's`);
  });
});

describe("the proxy at a port", () => {
  const at = async (allowed: string[]) => listeningProxy(networkRules(allowed), null);

  test.skipIf(findProgram("curl") === null)("takes whoever has its password, and nobody else", async () => {
    const site = createServer((_, answer) => answer.end("here"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const place = `localhost:${(site.address() as AddressInfo).port}`;
    using proxy = await at([place]);
    const known = proxy.variables["HTTP_PROXY"] ?? "";
    const stranger = known.replace(/:[0-9a-f]{64}@/, ":0000@");
    const ask = async (through: string, ...more: string[]) =>
      (
        await askProgram(
          "curl",
          ["-s", "-w", " %{http_code} %{http_connect}", "--noproxy", "", "-x", through, ...more],
          patienceMs,
        )
      ).stdout;
    expect(await ask(known, `http://${place}`)).toBe("here 200 000");
    expect(await ask(known, "-p", `http://${place}`)).toBe("here 200 200");
    expect(await ask(stranger, `http://${place}`)).toBe(" 407 000");
    expect(await ask(stranger, "-p", `http://${place}`)).toBe(" 000 407");
    expect(await ask(`http://127.0.0.1:${proxy.port}`, `http://${place}`)).toBe(" 407 000");
    expect(await ask(known, "http://localhost:1")).toMatch(/isn't allowed.* 403 000$/s);
    site.close();
  });
});

describe("on another system", () => {
  const { platform } = process;
  afterEach(() => Object.defineProperty(process, "platform", { value: platform }));

  test.skipIf(platform === "darwin")("a wall that can't be tried is none, and says so", async () => {
    Object.defineProperty(process, "platform", { value: "darwin" });
    const found = await findSandbox();
    expect(found).toMatchObject({ level: "none", wall: null });
    expect(found.why).toMatch(/^sandbox-exec can't make a sandbox here: /);
    expect(sandboxRemedy(found)).toContain('"sandbox": "off"');
    Object.defineProperty(process, "platform", { value: "win32" });
    expect(await findSandbox()).toMatchObject({ level: "none", why: "this system (win32) has no sandbox" });
  });
});

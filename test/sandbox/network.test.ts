/** The network of commands in a real sandbox, by the proxy of their environment, with servers that are played here. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createRaw } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../proc/os/find-program.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { nobody, WalledShell } from "../support/walled-shell.ts";

const here = await findSandbox();

describe.skipIf(here.level === "none" || findProgram("curl") === null)("a sandbox with a network", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-network-")));
  const order = { journal: join(root, "journal"), folder: join(root, "work"), own: join(root, "own") };
  let shell: WalledShell;
  let open: Server;
  let inner: Server;
  let port: number;
  let most = 0;

  beforeAll(async () => {
    for (const folder of ["own/tmp", "work", "journal/.state"]) mkdirSync(join(root, folder), { recursive: true });
    shell = new WalledShell(process.getuid?.() ?? 0, order, { TMPDIR: root });
    open = await listening("127.0.0.1", 0, "open");
    port = (open.address() as AddressInfo).port;
    inner = await listening("127.0.0.2", port, "inner");
  });
  afterAll(() => {
    shell[Symbol.dispose]();
    for (const server of [open, inner]) server.close();
    rmSync(root, { recursive: true });
  });

  async function listening(host: string, at: number, name: string): Promise<Server> {
    let now = 0;
    const server = createServer((asked, answer) => {
      asked.setEncoding("utf8");
      let body = "";
      asked.on("data", (text: string) => {
        body += text;
      });
      asked.on("end", () => {
        const { host: named, connection, "proxy-connection": own = "" } = asked.headers;
        answer.setHeader("X-Server", name);
        answer.end(
          `${name} ${asked.method} ${asked.url} ${named === undefined} ${String(own)} ${connection} ${body}\n`,
        );
      });
    });
    server.on("connection", (socket) => {
      most = Math.max(most, ++now);
      socket.once("close", () => now--);
    });
    await new Promise<void>((resolve) => server.listen(at, host, resolve));
    return server;
  }

  /**
   * Returns the output of a command. `127.0.0.1` counts as an address out in the world, `127.0.0.2` as one of this
   * network.
   */
  async function inside(command: string, network: string[], names: Record<string, string[][]> = {}, by = shell) {
    return (await by.run({ command, network, names, publicAddresses: ["127.0.0.1"] })).output;
  }

  const always = (address: string) => Array.from({ length: 9 }, () => [address]);

  test("a named host is reached by HTTP and by CONNECT, from curl and from Node", async () => {
    const at = `http://web.example.org:${port}`;
    const output = await inside(
      `curl -sS -d sent ${at}/plain; curl -sS -p ${at}/tunnel; curl -sSI ${at}/head | grep -i X-Server
      ${process.execPath} -e 'fetch("${at}/node").then((r) => r.text()).then((t) => process.stdout.write(t))'`,
      [`*.example.org:${port}`],
      { "web.example.org": always("127.0.0.1") },
    );
    expect(output.split("\n")).toEqual([
      "open POST /plain false  close sent",
      expect.stringMatching(/^open GET \/tunnel false {2}/),
      expect.stringMatching(/^X-Server: open/i),
      expect.stringMatching(/^open GET \/node false /),
      "",
    ]);
  });

  test("anything else is refused, and the refusal names the setting", async () => {
    const names = { "web.example.org": always("127.0.0.1"), "other.org": always("127.0.0.1") };
    const output = await inside(
      `for url in http://other.org:${port} http://web.example.org http://web.example.org:${port + 1} http://127.0.0.1:${port} \
        http://169.254.169.254/latest; do curl -s -o body -w '%{http_code} ' --noproxy '' $url; tail -c 60 body; done
      curl -sS -p http://other.org:${port} 2>&1; curl -s ftp://web.example.org:${port}`,
      [`web.example.org:${port}`],
      names,
    );
    expect(output.match(/^403 .*Here it is web\.example\.org:\d+$/gm)).toHaveLength(5);
    expect(output).toMatch(/response 403\n/);
    expect(output).toContain("cortex: this proxy takes http:// addresses and CONNECT\n");
    expect(output).not.toMatch(/open|inner/);
  });

  test("no name leads to this machine or its network, not by another answer a moment later", async () => {
    const names = { "inner.org": always("127.0.0.2"), "turning.org": [["127.0.0.1"], ["127.0.0.2"]] };
    const output = await inside(
      `curl -sS http://inner.org:${port}; for i in 1 2; do curl -sS http://turning.org:${port}; done; curl -sS http://localhost`,
      [`inner.org:${port}`, `turning.org:${port}`, "localhost", "*"],
      names,
    );
    expect(output).toMatch(
      /^cortex: inner\.org:\d+ is in this machine's own network: .*\nopen GET .*\ncortex: turning\.org:\d+ is in/,
    );
    expect(output).not.toContain("inner GET");
  });

  test("what the settings name with its port on this machine is where it is, and nothing beside it", async () => {
    const output = await inside(
      `curl -sS http://localhost:${port}/direct; curl -sS --noproxy '' http://localhost:${port}/proxied
      curl -s -m 2 --noproxy '*' http://127.0.0.2:${port}; curl -s -o /dev/null -w '%{http_code}\\n' --noproxy '' http://127.0.0.2:${port}
      python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & until curl -sf http://localhost:8123 >/dev/null; do sleep 0.05; done; echo its own`,
      [`localhost:${port}`],
    );
    expect(output).toMatch(/^open GET \/direct .*\nopen GET \/proxied .*\n403\nits own\n$/);
  });

  test.runIf(process.getuid?.() === 0)("an ordinary user's reaches the same, and nothing else", async () => {
    execFileSync("chown", ["-R", `${nobody}:${nobody}`, root]);
    using own = new WalledShell(nobody, order, { TMPDIR: root });
    const command = `curl -sS http://a.org:${port}; curl -s http://b.org:${port}; (echo x >/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo REACHED`;
    const names = { "a.org": always("127.0.0.1"), "b.org": always("127.0.0.1") };
    const output = await inside(command, [`a.org:${port}`], names, own);
    execFileSync("chown", ["-R", "0:0", root]);
    expect(output).toMatch(/^open GET .*\ncortex: b\.org:\d+ isn't allowed/);
    expect(output).not.toContain("REACHED");
  });

  test("so many connections at once are served, and never more than the bound", async () => {
    most = 0;
    const script = `
      const { get, Agent } = require("node:http");
      let done = 0;
      for (let i = 0; i < 160; i++) get({ port: ${port}, agent: new Agent() }, (r) => r.resume().on("end", () => { if (++done === 160) { console.log("all"); process.exit(); } }));`;
    expect(await inside(`${process.execPath} -e '${script}'`, [`localhost:${port}`])).toBe("all\n");
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(100);
  });

  test("servers that speak no HTTP, or break off, end their own request alone", async () => {
    const answers = [
      "HTTP/1.1 200 O\u0001K\r\nA: b\u0080\r\n\r\nodd",
      "no HTTP at all\r\n\r\n",
      "",
      "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf",
    ];
    const odd = createRaw(
      (socket) => void socket.on("error", () => {}).once("data", () => socket.end(answers.shift() ?? "")),
    );
    await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
    const { port: at } = odd.address() as AddressInfo;
    const output = await inside(
      `for i in 1 2 3 4; do curl -s -m 60 -o /dev/null -w '%{http_code} ' --noproxy '' http://localhost:${at}; done
      curl -s -m 60 -x http://127.0.0.1:47128 'http://localhost:${at}/ bad'; printf 'CONNECT localhost HTTP/1.1\\r\\n\\r\\n\\0\\1' >/dev/tcp/127.0.0.1/47128
      printf '\\377\\376' >/dev/tcp/127.0.0.1/47128; curl -sS http://localhost:${port}/after`,
      [`localhost:${at}`, `localhost:${port}`],
    );
    odd.close();
    expect(output).toMatch(/^200 502 502 200 [^]*open GET \/after/);
  });

  test("what is open ends with the command", async () => {
    const ended = Promise.withResolvers<void>();
    const held = createRaw(
      (socket) =>
        void socket
          .on("error", () => {})
          .resume()
          .once("close", ended.resolve)
          .write("hello\n"),
    );
    await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
    const { port: at } = held.address() as AddressInfo;
    // Inside it is open at once; outside it is when something comes from there.
    expect(await inside(`exec 9<>/dev/tcp/127.0.0.1/${at}; head -n 1 <&9`, [`localhost:${at}`])).toBe("hello\n");
    await ended.promise;
    const open = await new Promise<number>((resolve) => held.getConnections((_, count) => resolve(count)));
    held.close();
    expect(open).toBe(0);
  });

  test("a command that breaks its way out has none, and still ends", async () => {
    const output = await inside(
      `for p in /proc/[0-9]*; do if grep -qa 47128 $p/cmdline; then kill -9 \${p#/proc/}; fi; done; sleep 600`,
      [`localhost:${port}`],
    );
    expect(output).toBe("");
  });
});

/** Keys of commands in a real sandbox, with servers that are played here: used, and never held. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer as createPlain, type RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../proc/os/find-program.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { makeCertificates } from "../support/network/certificates.ts";
import { WalledShell } from "../support/walled-shell.ts";
import type { WalledCommand } from "../fixtures/sandbox/walled.ts";

const here = await findSandbox();
const key = "key-of-the-test-0123456789";

describe.skipIf(here.level === "none" || findProgram("curl") === null)("a key that is masked", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-keys-")));
  const order = { journal: join(root, "journal"), folder: join(root, "work"), own: join(root, "own") };
  const heard: string[] = [];
  const servers: Server[] = [];
  let shell: WalledShell;
  let port: number;
  let otherPort: number;
  let strangePort: number;
  let plainPort: number;

  beforeAll(async () => {
    for (const folder of ["own/tmp", "work", "journal/.state"]) mkdirSync(join(root, folder), { recursive: true });
    const names = ["DNS:api.example.org", "DNS:other.example.org"];
    const { ca, cert, key: own } = makeCertificates(root, names);
    const strange = makeCertificates(root, names, "strange-");
    const tls = { cert: readFileSync(cert), key: readFileSync(own) };
    port = await listening(createServer(tls, answerer));
    otherPort = await listening(createServer(tls, answerer));
    strangePort = await listening(
      createServer({ cert: readFileSync(strange.cert), key: readFileSync(strange.key) }, answerer),
    );
    plainPort = await listening(createPlain(answerer));
    shell = new WalledShell(process.getuid?.() ?? 0, order, { TMPDIR: root, NODE_EXTRA_CA_CERTS: ca });
  });
  afterAll(() => {
    shell[Symbol.dispose]();
    for (const server of servers) server.close();
    rmSync(root, { recursive: true });
  });

  const answerer: RequestListener = (asked, answer) => {
    asked.setEncoding("utf8");
    let body = "";
    asked.on("data", (text: string) => {
      body += text;
    });
    asked.on("end", () => {
      heard.push(`${asked.headers.host} ${asked.headers.authorization ?? "nobody"} ${body}`);
      answer.end("ok\n");
    });
  };

  async function listening(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  /** Runs a command, and returns what it printed and what the servers were sent. */
  async function inside(command: string, more: Partial<WalledCommand> = {}, by = shell) {
    heard.length = 0;
    const ports = [port, otherPort, strangePort, plainPort];
    const { output } = await by.run({
      command,
      network: ["api", "other"].flatMap((name) => ports.map((at) => `${name}.example.org:${at}`)),
      keys: [{ name: "API_KEY", value: key, hosts: [`api.example.org:${port}`, `api.example.org:${strangePort}`] }],
      names: Object.fromEntries(["api", "other"].map((name) => [`${name}.example.org`, always])),
      publicAddresses: ["127.0.0.1"],
      ...more,
    });
    return { output, heard: [...heard] };
  }

  const always = Array.from({ length: 20 }, () => ["127.0.0.1"]);
  const bearer = '-H "Authorization: Bearer $API_KEY"';

  test("it is sent to its host, in headers and bodies, from curl and from Node, and is nowhere inside", async () => {
    const at = `https://api.example.org:${port}`;
    const { output, heard } = await inside(
      `curl -sS ${bearer} ${at}; curl -sS -d "key=$API_KEY&again=$API_KEY" ${at}; curl -sS -p ${bearer} ${at}
      ${process.execPath} -e 'fetch("${at}/node", { method: "POST", headers: { authorization: process.env.API_KEY }, body: "x".repeat(200_000) + process.env.API_KEY }).then((r) => r.text()).then((t) => process.stdout.write(t))'
      echo "$API_KEY"; (env; cat /proc/*/environ "$SSL_CERT_FILE" /tmp/* 2>/dev/null) | tr '\\0' '\\n' | grep -c ${key}`,
    );
    expect(output).toMatch(/^ok\nok\nok\nok\nfake_value_[0-9a-f-]{36}\n0\n$/);
    expect(heard).toEqual([
      `api.example.org:${port} Bearer ${key} `,
      `api.example.org:${port} nobody key=${key}&again=${key}`,
      `api.example.org:${port} Bearer ${key} `,
      `api.example.org:${port} ${key} ${"x".repeat(200_000)}${key}`,
    ]);
  });

  test("another host, another port and an open connection get the stand-in; a stranger with the host's name gets nothing", async () => {
    const { output, heard } = await inside(
      `curl -sv ${bearer} https://other.example.org:${port} 2>&1 | grep -o 'issuer: .*'
      curl -sS ${bearer} https://api.example.org:${otherPort}
      curl -sS ${bearer} http://api.example.org:${plainPort}; curl -sS -p ${bearer} http://api.example.org:${plainPort}
      curl -sS -H "Host: api.example.org:${port}" ${bearer} https://other.example.org:${port}
      curl -sS -o /dev/null -w '%{http_code}\\n' ${bearer} https://api.example.org:${strangePort}`,
    );
    expect(output).toBe("issuer: CN=test CA\nok\nok\nok\nok\n502\n");
    expect(heard).toHaveLength(5);
    for (const line of heard) expect(line).toMatch(/ Bearer fake_value_[0-9a-f-]{36} $/);
  });

  test("what isn't in the network isn't reached by a key, and a name that leads home isn't either", async () => {
    const ask = `curl -sS -o /dev/null -w '%{http_code} ' -p ${bearer} https://api.example.org:${port} 2>&1`;
    const shut = await inside(ask, { network: [`other.example.org:${port}`] });
    const home = await inside(ask, { names: { "api.example.org": [["127.0.0.2"], ["127.0.0.2"]] } });
    const turning = await inside(ask, { names: { "api.example.org": [["127.0.0.1"], ["127.0.0.2"]] } });
    expect([shut.heard, home.heard, turning.heard]).toEqual([[], [], []]);
    for (const { output } of [shut, home]) expect(output).toContain("CONNECT tunnel failed, response 403");
  });

  test("its stand-in stays the same from command to command, with another value, too", async () => {
    const stand = `echo "$API_KEY" >kept; curl -sS -H "Authorization: $(cat kept)" https://api.example.org:${port}`;
    const first = await inside(stand);
    const keys = [{ name: "API_KEY", value: "a newer one", hosts: [`api.example.org:${port}`] }];
    const second = await inside(stand.replace(/^.*?; /, ""), { keys });
    expect([first.heard, second.heard]).toEqual([
      [`api.example.org:${port} ${key} `],
      [`api.example.org:${port} a newer one `],
    ]);
  });
});

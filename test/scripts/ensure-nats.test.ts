import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findNatsServer, findProgram } from "../../proc/os/find-program.ts";
import { ensureNatsServer } from "../../scripts/start/ensure-nats.ts";
import { installRelease, type Release } from "../../scripts/start/nats-release.ts";

// A system of its own: a PATH that holds nothing but what a test puts there.
let home: string;
let bin: string;
const path = process.env["PATH"];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ensure-nats-"));
  bin = join(home, "bin");
  mkdirSync(bin);
  for (const [name, target] of [
    ["env", "/usr/bin/env"],
    ["tar", findProgram("tar")!],
  ] as const)
    symlinkSync(target, join(bin, name));
  // Whoever isn't root asks sudo.
  program("sudo", 'shift; exec "$@"');
  vi.stubEnv("PATH", bin);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

const log = () => readFileSync(join(home, "log"), "utf8").trim().split("\n");
const find = () => findProgram("nats-server");
const nowhere: Release = { version: "0.0.0", downloads: "http://127.0.0.1:1", sha256: {} };
const ensure = (release = nowhere) => ensureNatsServer({ quiet: true, find, release, folder: join(home, "own") });
const installs = (name: string) =>
  `echo "${name} $*" >> ${home}/log; echo '#!/bin/sh' > ${bin}/nats-server; /bin/chmod +x ${bin}/nats-server`;

test("the server of this machine is found, wherever it stands, and is the one that is named", async () => {
  vi.unstubAllEnvs();
  const found = findNatsServer();
  expect(found).not.toBeNull();
  expect((await execa(found!, ["--version"])).stdout).toMatch(/nats-server: v2\./);
  await expect(ensureNatsServer()).resolves.toBe(found);
});

test("a server on the PATH is taken, and nothing is installed", async () => {
  program("nats-server", "exit 0");
  program("apt-get", installs("apt-get"));
  await expect(ensure()).resolves.toBe(join(bin, "nats-server"));
  expect(existsSync(join(home, "log"))).toBe(false);
});

test("a folder or a file that can't be executed is not a program", () => {
  mkdirSync(join(bin, "nats-server"));
  expect(find()).toBeNull();
  rmSync(join(bin, "nats-server"), { recursive: true });
  writeFileSync(join(bin, "nats-server"), "");
  expect(find()).toBeNull();
});

describe("without a server", () => {
  test("apt-get installs it, without recommended packages and waiting for its lock", async () => {
    program("apt-get", installs("apt-get"));
    await expect(ensure()).resolves.toBe(join(bin, "nats-server"));
    expect(log()).toEqual(["apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends nats-server"]);
  });

  test("apt-get's lists are fetched when it doesn't know the package", async () => {
    program(
      "apt-get",
      `case "$*" in *update*) : > ${home}/updated;; esac
[ -e ${home}/updated ] || { echo "E: Unable to locate package" >&2; exit 100; }
case "$*" in *install*) ${installs("apt-get")};; esac`,
    );
    await expect(ensure()).resolves.toBe(join(bin, "nats-server"));
  });

  test("the service that Debian's package brings isn't started", async () => {
    program("apt-get", `echo "$SYSTEMD_OFFLINE $RUNLEVEL" > ${home}/environment; ${installs("apt-get")}`);
    await ensure();
    expect(readFileSync(join(home, "environment"), "utf8")).toBe("1 1\n");
  });

  test.each([
    ["brew", "brew install nats-server"],
    ["apk", "apk add nats-server"],
    ["dnf", "dnf install -y nats-server"],
    ["pacman", "pacman -S --noconfirm --needed nats-server"],
  ])("%s installs it", async (name, command) => {
    program(name, installs(name));
    await expect(ensure()).resolves.toBe(join(bin, "nats-server"));
    expect(log()).toEqual([command]);
  });

  test("the next way is tried when one fails", async () => {
    program("apt-get", 'echo "E: Unable to locate package nats-server" >&2; exit 100');
    program("brew", installs("brew"));
    await expect(ensure()).resolves.toBe(join(bin, "nats-server"));
  });

  test("when nothing works the error says what was tried, why it failed and what to type", async () => {
    program("apt-get", 'echo "Reading lists"; echo "E: Unable to locate package nats-server" >&2; exit 100');
    const failure = ensure();
    await expect(failure).rejects.toThrow("apt-get: E: Unable to locate package nats-server");
    await expect(failure).rejects.toThrow("official release: ");
    await expect(failure).rejects.toThrow(/type: sudo apt-get update && sudo apt-get install nats-server$/);
  });

  test("without any package manager it says where to get it", async () => {
    await expect(ensure()).rejects.toThrow(/type: put nats-server on the PATH: https:/);
  });
});

describe("the official release", () => {
  let server: Server;
  let release: Release;
  const served = new Map<string, Buffer>();
  const name = "nats-server-v9.9.9-linux-amd64";

  beforeEach(async () => {
    const work = join(home, "work");
    mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, name, "nats-server"), "#!/bin/sh\necho nats-server: v9.9.9\n");
    await execa("tar", ["-czf", "release.tar.gz", name], { cwd: work, env: { PATH: path } });
    const archive = readFileSync(join(work, "release.tar.gz"));
    const checksum = createHash("sha256").update(archive).digest("hex");
    served.clear();
    served.set(`/v9.9.9/${name}.tar.gz`, archive);
    served.set("/v9.9.9/SHA256SUMS", Buffer.from(`${"0".repeat(64)}  other.zip\n${checksum}  ${name}.tar.gz\n`));
    server = createServer((request, response) => {
      const body = served.get(request.url ?? "");
      response.writeHead(body ? 200 : 404).end(body);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    release = { version: "9.9.9", downloads: `http://127.0.0.1:${port}`, sha256: { "linux-amd64": checksum } };
  });
  afterEach(() => new Promise((done) => server.close(done)));

  const install = (changed: Partial<Release> = {}, system = "linux-x64") =>
    installRelease(join(home, "own"), { ...release, ...changed }, system);

  test("is installed, executable, and leaves nothing else behind", async () => {
    const installed = await install();
    expect((await execa(installed)).stdout).toBe("nats-server: v9.9.9");
    expect(readdirSync(join(home, "own"))).toEqual(["nats-server"]);
  });

  test("is refused when its checksum is another than the pinned one", async () => {
    await expect(install({ sha256: { "linux-amd64": "0".repeat(64) } })).rejects.toThrow(
      /has the checksum .* expected 0000/,
    );
    expect(existsSync(join(home, "own"))).toBe(false);
  });

  test("is compared with the published checksums where none is pinned", async () => {
    await expect(install({ sha256: {} })).resolves.toBe(join(home, "own", "nats-server"));
    served.set("/v9.9.9/SHA256SUMS", Buffer.from(`${"0".repeat(64)}  ${name}.tar.gz\n`));
    await expect(install({ sha256: {} })).rejects.toThrow("expected 0000");
    served.set("/v9.9.9/SHA256SUMS", Buffer.from(""));
    await expect(install({ sha256: {} })).rejects.toThrow("has no checksum");
  });

  test("that can't be fetched fails, naming the address", async () => {
    await expect(install({ version: "1.2.3" })).rejects.toThrow(/cannot fetch http.*v1\.2\.3.*: status 404/);
  });

  test("for an unknown system fails, naming it", async () => {
    await expect(install({}, "sunos-sparc")).rejects.toThrow("no release of nats-server for sunos-sparc");
  });
});

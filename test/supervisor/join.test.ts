import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { OpenBusError, serverConfig } from "../../bus/server/server-config.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { readJoining } from "../../scripts/start/join-options.ts";
import { joinCommand, offerOf } from "../../supervisor/programs/bus-listening.ts";
import { checkJoining, joinedEnvironment } from "../../supervisor/join.ts";

const folder = mkdtempSync(join(tmpdir(), "cortex-join-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const urls = ["nats://keeper.example:4222", "nats://other.example:4222"];

test("the options of a join reach the programs as their environment, files by their whole path", () => {
  const env = joinedEnvironment({ PATH: "/bin" }, { urls, files: { nkeyFile: "worker.nk" }, labels: ["gpu", "big"] });
  expect(env).toEqual({
    PATH: "/bin",
    NATS_URL: urls.join(","),
    NATS_NKEY_FILE: join(process.cwd(), "worker.nk"),
    CORTEX_LABELS: "gpu,big",
  });
  const { natsUrl, natsFiles, labels } = readEnvironment(env);
  expect({ natsUrl, natsFiles, labels }).toEqual({
    natsUrl: urls.join(","),
    natsFiles: { nkeyFile: join(process.cwd(), "worker.nk") },
    labels: ["gpu", "big"],
  });
});

test.each([
  [{ urls: ["nats://me:secret@keeper.example"] }, /everybody on this host can read a command line/],
  [{ urls: ["http://keeper.example"] }, /is not an address/],
  [{ urls: ["http://me:the@secret@keeper.example"] }, /is not an address/],
  [{ urls }, /leads to another host without TLS/],
  [
    { urls: ["nats://127.0.0.1:4222", "nats://10.0.0.1"], files: { tokenFile: "t" } },
    /10\.0\.0\.1 leads to another host/,
  ],
  [{ urls: ["nats://127.example.org"] }, /another host/],
  [{ urls, files: { caFile: "ca", nkeyFile: "a", tokenFile: "b" } }, /more than one credential/],
  [{ urls, files: { certFile: "a" } }, /belong together/],
  [{ urls: ["tls://keeper.example"], labels: ["No Name"] }, /is not a name/],
])("%j is refused, in words that have no secret in them", (asked, message) => {
  const check = () => checkJoining({ files: {}, labels: [], ...asked });
  expect(check).toThrow(message);
  expect(check).not.toThrow(/secret/);
});

test("a key that is missing is made, for its owner alone, and its public half is told", () => {
  const nkeyFile = join(folder, "new.nk");
  const check = () => checkJoining({ urls, files: { caFile: "ca.pem", nkeyFile }, labels: [] });
  expect(check).toThrow(expect.objectContaining({ hint: expect.stringMatching(/"nkey":"U[A-Z2-7]{55}"/) }));
  expect(existsSync(nkeyFile) && statSync(nkeyFile).mode & 0o777).toBe(0o600);
  expect(check).not.toThrow();
});

test("a bus on another host is joined over TLS, one on this host also without", () => {
  for (const [given, files] of [
    [["tls://keeper.example"], {}],
    [urls, { caFile: "ca.pem" }],
    [["nats://127.0.0.1:4222", "nats://[::1]:4222", "nats://localhost"], {}],
  ] as const)
    expect(() => checkJoining({ urls: [...given], files, labels: [] })).not.toThrow();
});

test("a bus that nobody answers on ends the command with 69; an option without --join with 2", async () => {
  await expect(readJoining({ join: "nats://127.0.0.1:1" })).rejects.toMatchObject({
    exitCode: 69,
    message: expect.stringContaining("nobody listens there"),
  });
  await expect(readJoining({ nkey: "worker.nk" })).rejects.toMatchObject({ exitCode: 2 });
  expect(await readJoining({})).toBe(null);
});

test("the bus listens to other hosts with TLS, or not at all", () => {
  const passwords = { client: "a", cortex: "b", schedule: "d", supervisor: "c" };
  const options = { name: "n", port: 4222, storeFolder: "/s", pidFile: "/p", passwords };
  expect(() => serverConfig({ ...options, listening: { host: "0.0.0.0", workers: [] } })).toThrow(OpenBusError);
  for (const name of ["cert", "key", "ca"]) writeFileSync(join(folder, name), "");
  const offer = offerOf(folder, { listen: "0.0.0.0:4300", tls: { cert: "cert", key: "key", ca: "ca" } });
  expect(serverConfig({ ...options, listening: offer?.listening })).toContain(`"key_file":"${join(folder, "key")}"`);
  expect(offer && joinCommand(offer)).toMatch(/^cortex up --join nats:\/\/\S+:4300 --ca ca --nkey worker\.nk$/);
  expect(offerOf(folder, { replicas: 3 })).toBe(null);
  expect(() => offerOf(folder, { listen: "0.0.0.0:4300", tls: { cert: "none", key: "key", ca: "ca" } })).toThrow(
    /bus\.tls\.cert: .*none can't be read/,
  );
});

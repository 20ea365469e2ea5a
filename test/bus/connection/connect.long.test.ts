/** Reaching a bus on another host: encrypted, by a key, and in words when it can't be. */
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { inspect } from "node:util";
import { isLoopback } from "../../../bus/connection/bus-url.ts";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBus } from "../../../bus/connection/connect.ts";
import { CredentialError, newSeed, publicKeyOf } from "../../../bus/connection/credentials.ts";
import { type Certificates, makeCertificates } from "../../support/network/certificates.ts";
import { ownPort } from "../../support/network/own-port.ts";
import { BusServer } from "../bus-server.ts";
import { patienceMs } from "../../support/patience.ts";

const folder = mkdtempSync(join(tmpdir(), "cortex-connect-"));
const nkeyFile = keyFile("worker.nk");
let certificates: Certificates;
let server: BusServer;
let port: number;

/** A new key in a file of its owner's alone. */
function keyFile(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, newSeed(), { mode: 0o600 });
  return path;
}

beforeAll(async () => {
  certificates = makeCertificates(folder, ["IP:127.0.0.2", "DNS:keeper.example"]);
  port = await ownPort();
  const workers = [{ name: "one", nkey: publicKeyOf(nkeyFile) }];
  server = await BusServer.start(() => ({ listen: `0.0.0.0:${port}`, tls: certificates, workers }));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const url = () => `nats://127.0.0.2:${port}`;
const ca = () => certificates.ca;

test("a worker comes in with its key, over TLS, and may do what cortex does", async () => {
  await using bus = await openBus({ url: url(), caFile: ca(), nkeyFile }, "cortex");
  await bus.js.publish("cortex.event.1736380800000.text", "said");
  const manager = await bus.manager();
  expect((await manager.streams.info("CORTEX_EVENTS")).state.messages).toBe(1);
  await expect(manager.streams.delete("CORTEX_EVENTS")).rejects.toThrow();
});

/** The messages that only the host may publish, its owners, its agents and its channels. */
const hostsOwn: [subject: string, payload: unknown][] = [
  ["$JS.API.STREAM.PURGE.CORTEX_REQ", {}],
  ["$JS.API.STREAM.PURGE.CORTEX_EVENTS", {}],
  ["$JS.API.STREAM.PURGE.KV_cortex_claims", {}],
  ["$JS.API.STREAM.DELETE.CORTEX_EVENTS", {}],
  ["$JS.API.STREAM.UPDATE.CORTEX_REQ", { name: "CORTEX_REQ", subjects: ["cortex.request"], max_msgs: 1 }],
  ["$JS.API.STREAM.CREATE.THEIRS", { name: "THEIRS", subjects: ["agent.event.>"] }],
  ["$JS.API.STREAM.SNAPSHOT.CORTEX_REQ", { deliver_subject: "_INBOX_cortex.x" }],
  ["$JS.API.STREAM.RESTORE.CORTEX_REQ", {}],
  ["$JS.API.STREAM.LIST", {}],
  ["$JS.API.STREAM.NAMES", {}],
  ["$JS.API.STREAM.INFO.CORTEX_IN_cli", {}],
  ["$JS.API.STREAM.MSG.GET.CORTEX_IN_cli", { seq: 1 }],
  ["$JS.API.STREAM.MSG.DELETE.CORTEX_IN_cli", { seq: 1 }],
  ["$JS.API.STREAM.MSG.DELETE.CORTEX_IN", { seq: 1 }],
  ["$JS.API.STREAM.MSG.DELETE.CORTEX_INBOUND", { seq: 1 }],
  ["$JS.API.STREAM.MSG.DELETE.KV_cortex_runs", { seq: 1 }],
  ["$JS.API.DIRECT.GET.CORTEX_OUT_cli", { seq: 1 }],
  ["$JS.API.CONSUMER.CREATE.CORTEX_IN_cli", { stream_name: "CORTEX_IN_cli", config: {} }],
  ["$JS.API.CONSUMER.DELETE.CORTEX_REQ.cortex", {}],
  ["$JS.API.CONSUMER.MSG.NEXT.CORTEX_IN_cli.agents", {}],
  ["$JS.API.ACCOUNT.PURGE.CORTEX", {}],
  ["$JS.API.META.LEADER.STEPDOWN", {}],
  ["$SYS.REQ.SERVER.PING", {}],
  ["agents.command", { name: "pair", args: {} }],
  ["channel.in.cli", { id: "x", text: "hello", channel: { type: "cli", channelId: "main" } }],
  ["channel.out.cli", {}],
  ["channel.receipt.x", { state: "sent" }],
  ["permission.decide.x", { decision: "allow", userId: "owner" }],
  ["agent.event.abcdefghijklmnopqrstuvwx.message", {}],
  ["cortex.turn_input.1736380800000", { text: "hello" }],
  ["cortex.grant.1736380800000", {}],
  ["$KV.cortex_schedule.x", {}],
  ["$KV.cortex_health.x", {}],
  ["$JS.ACK.CORTEX_IN_cli.agents.1.1.1.1.1", "+ACK"],
  ["_INBOX_agents.x", {}],
  ["_INBOX_schedule.x", {}],
];

test.each(hostsOwn)("a worker may not publish on %s", async (subject, payload) => {
  await using bus = await openBus({ url: url(), caFile: ca(), nkeyFile }, "cortex");
  const host = await server.as("cortex");
  const heard: string[] = [];
  const subscription = host.connection.subscribe(subject, {
    callback: (_, message) => void heard.push(message.subject),
  });
  await host.connection.flush();
  const asked = bus.connection.request(subject, JSON.stringify(payload), { timeout: patienceMs });
  await expect(asked).rejects.toThrow(/Permissions Violation for Publish/);
  await host.connection.flush();
  subscription.unsubscribe();
  expect(heard).toEqual([]);
});

test.each([
  ">",
  "channel.>",
  "permission.decide.*",
  "agents.*",
  "agent.event.>",
  "_INBOX_agents.>",
  "$KV.>",
  "$JS.API.>",
])("a worker may not listen to %s", async (subject) => {
  await using bus = await openBus({ url: url(), caFile: ca(), nkeyFile }, "cortex");
  const refused = new Promise<string>((resolve) => {
    const { closed } = bus.connection.subscribe(subject, {
      callback: (error) => void (error && resolve(error.message)),
    });
    void closed.catch(() => {});
  });
  expect(await refused).toMatch(/Permissions Violation for Subscription/);
});

test("a list of addresses may have some where nobody is", async () => {
  const nobody = await ownPort();
  await using bus = await openBus({ url: `nats://127.0.0.2:${nobody},${url()}`, caFile: ca(), nkeyFile }, "cortex");
  expect(bus.isConnected).toBe(true);
});

test("our own programs come in over TLS as well", async () => {
  expect(server.url).toMatch(/^tls:\/\/127\.0\.0\.1:/);
  expect((await server.as("client")).isConnected).toBe(true);
});

test.each([
  [
    "a key that it doesn't know",
    () => ({ caFile: ca(), nkeyFile: keyFile("other.nk") }),
    /refuses the key in .*other\.nk/,
  ],
  ["no credential at all", () => ({ caFile: ca() }), /refuses the name, password or token/],
  [
    "another authority",
    () => ({ caFile: makeCertificates(folder, ["DNS:x"], "other-").ca, nkeyFile }),
    /isn't signed by the one in .*other-ca/,
  ],
  ["no authority", () => ({ nkeyFile }), /signed by an unknown authority: give that authority's certificate/],
])("a connection with %s says so", async (_, files, message) => {
  await expect(openBus({ url: url(), ...files() }, "cortex")).rejects.toThrow(message);
});

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal);

test.skipIf(!outside)("a certificate of another host is refused", async () => {
  const named = openBus({ url: `nats://${outside?.address}:${port}`, caFile: ca(), nkeyFile }, "cortex");
  await expect(named).rejects.toThrow(/certificate is another host's/);
});

test.skipIf(!outside)("a loopback address in a list switches off the check of no other server's name", async () => {
  const nobody = await ownPort();
  const named = openBus(
    { url: `nats://127.0.0.1:${nobody},nats://${outside?.address}:${port}`, caFile: ca(), nkeyFile },
    "cortex",
  );
  await expect(named).rejects.toThrow();
  // Over loopback it is enough that our own CA has signed the certificate, also where others stand in the list.
  await using bus = await openBus(
    { url: `nats://127.0.0.1:${port},nats://${outside?.address}:${nobody}`, caFile: ca(), nkeyFile },
    "cortex",
  );
  expect(bus.isConnected).toBe(true);
});

test("a host whose name only begins like a loopback address isn't this one", () => {
  expect(
    ["127.0.0.1", "127.1.2.3", "::1", "localhost", "::ffff:127.0.0.1"].filter((host) => !isLoopback(host)),
  ).toEqual([]);
  expect(
    ["127.example.org", "127.0.0.1.example.org", "10.0.0.1", "::2", "localhost.example.org"].filter(isLoopback),
  ).toEqual([]);
});

test.each([
  "nats://me:4h4x/0rq0@keeper",
  "nats://me:4h4x@0rq0@:4222",
  "me:4h4x?0rq0@keeper",
  "nats://me:4h4x,0rq0@keeper",
])("the password in %s is never shown, not even in part", async (address) => {
  const error: Error = await openBus({ url: address }, "cortex", 300).then(
    () => new Error("connected"),
    (reason) => reason,
  );
  expect(error.message).not.toBe("connected");
  expect(inspect(error)).not.toMatch(/4h4x|0rq0/);
});

test("a server that speaks no TLS is refused by whoever wants it, and silence is explained", async () => {
  await using plain = await BusServer.start();
  await expect(openBus({ url: plain.url, caFile: ca() }, "cortex")).rejects.toThrow(/speaks no TLS/);
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const silentUrl = `nats://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
  await expect(openBus({ url: silentUrl, caFile: ca() }, "cortex", 300)).rejects.toThrow(/client's certificate/);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
  await expect(openBus({ url: silentUrl }, "cortex")).rejects.toThrow(/nobody listens there/);
});

test("a credential that others can read, or that is none, is refused", async () => {
  const open = keyFile("open.nk");
  chmodSync(open, 0o644);
  await expect(openBus({ url: url(), caFile: ca(), nkeyFile: open }, "cortex")).rejects.toThrow(/chmod 600/);
  const none = join(folder, "none");
  await expect(openBus({ url: url(), caFile: ca(), nkeyFile: none }, "cortex")).rejects.toThrow(CredentialError);
  writeFileSync(none, "SUnothing", { mode: 0o600 });
  await expect(openBus({ url: url(), caFile: ca(), nkeyFile: none }, "cortex")).rejects.toThrow(
    /not the seed of an nkey/,
  );
});

test("a key that becomes wrong ends nothing: when it is right again, the connection comes back", async () => {
  const rotated = join(folder, "rotated.nk");
  const right = () => {
    renameSync(copyOf(nkeyFile), rotated);
  };
  right();
  await using bus = await openBus({ url: url(), caFile: ca(), nkeyFile: rotated }, "cortex");
  renameSync(keyFile("wrong.nk"), rotated);
  let refused = 0;
  void (async () => {
    for await (const status of bus.connection.status()) if (status.type === "error") refused++;
  })();
  await server.killAndRestart(await server.as("cortex"));
  await expect.poll(() => refused, { timeout: patienceMs }).toBeGreaterThan(2);
  expect(bus.isConnected).toBe(false);
  right();
  await expect.poll(() => bus.isConnected, { timeout: patienceMs }).toBe(true);
});

function copyOf(path: string): string {
  const copy = `${path}.copy`;
  writeFileSync(copy, readFileSync(path), { mode: 0o600 });
  return copy;
}

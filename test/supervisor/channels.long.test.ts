/** The adapters that `cortex up` keeps, and what it writes for those of others. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { agentIdOf } from "../../agents/record/agent-id.ts";
import { ensureChannelStreams, publishOutbound } from "../../bus/agents/channels.ts";
import { type Bus, openBus } from "../../bus/connection/connect.ts";
import { inboundStream } from "../../bus/agents/inbound.ts";
import { inboxFile } from "../../journal/agents/agent-files.ts";
import { addressAs, readBusAccess, readEndpoints } from "../../journal/access/endpoints.ts";
import { identifyProcess } from "../../proc/processes/identity.ts";
import { outbound } from "../channels/channel-system.ts";
import { UpJournal } from "./up-process.ts";
import { patienceMs } from "../support/patience.ts";

const plainClient = fileURLToPath(new URL("../fixtures/channels/plain-client.ts", import.meta.url));

async function asAgents(journal: string): Promise<Bus> {
  const access = readBusAccess(journal);
  if (!access) throw new Error("no bus");
  return openBus(addressAs(access, "agents"), "agents", patienceMs);
}

test("the web channel says where it is, is there again when it was killed, and can be turned off", async () => {
  await using journal = new UpJournal({ channels: {} });
  const up = journal.start();
  await up.isUp();
  const url = await journal.until(() => readEndpoints(journal.path)?.web_url, "its address");
  const token = readEndpoints(journal.path)?.web_token;
  expect(token).toBe(readFileSync(join(journal.path, ".run/web-token"), "utf8").trim());
  const health = async () => (await (await fetch(`${url}/v1/health`)).json()) as { pid: number };
  const before = journal.pids()["channel-web"] ?? 0;
  expect((await health()).pid).toBe(before);
  process.kill(before, "SIGKILL");
  await journal.until(() => journal.program("channel-web")?.restarts === 1 && journal.isReady("channel-web"), "again");
  expect((await health()).pid).toBe(journal.pids()["channel-web"]);
  expect(readEndpoints(journal.path)).toMatchObject({ web_url: url, web_token: token });
  await up.stop();
  journal.configure({ channels: { web: { enabled: false } } });
  const again = journal.start();
  await again.isUp();
  expect(journal.program("channel-web")).toBeUndefined();
  expect(readEndpoints(journal.path)).not.toHaveProperty("web_url");
});

test("cortex is up without a channel that can't be, which says why and isn't tried over and over", async () => {
  await using journal = new UpJournal({ channels: { web: { enabled: false }, telegram: { token_env: "NO_SUCH" } } });
  const up = journal.start();
  await up.isUp();
  await journal.until(() => journal.program("channel-telegram")?.state === "failed", "it has failed");
  expect(journal.program("channel-telegram")?.restarts).toBe(0);
  expect(readFileSync(join(journal.path, ".run/logs/channel-telegram.log"), "utf8")).toContain(
    "channels.telegram.token_env (NO_SUCH)",
  );
  expect(journal.program("channel-webhook")).toBeUndefined();
  // Its settings were mended: the next reading of them starts it anew.
  journal.configure({ channels: { web: { enabled: false }, telegram: { token_env: "NO_SUCH", enabled: true } } });
  up.signal("SIGHUP");
  await journal.until(() => (journal.program("channel-telegram")?.restarts ?? 0) > 0, "it was tried again");
});

test("changed settings make a channel another one, when they are read again and at the next start", async () => {
  await using journal = new UpJournal({ channels: { web: { port: 0 } } });
  const up = journal.start();
  await up.isUp();
  await journal.until(() => journal.isReady("channel-web"), "web");
  const others = () => {
    const { "channel-web": _, ...rest } = journal.pids();
    return rest;
  };
  const [first, before] = [journal.pids()["channel-web"], others()];
  journal.configure({ channels: { web: { port: 0, allow: ["another"] } } });
  up.signal("SIGHUP");
  await journal.until(() => journal.pids()["channel-web"] !== first && journal.isReady("channel-web"), "another");
  expect(others()).toEqual(before);
  const second = journal.pids()["channel-web"];
  up.signal("SIGKILL");
  await up.exited;
  journal.configure({ channels: { web: { port: 0, allow: ["a third"] } } });
  await journal.start().isUp();
  await journal.until(() => journal.pids()["channel-web"] !== second && journal.isReady("channel-web"), "a third");
  expect(others()).toEqual(before);
});

test("an adapter of the user's own speaks and hears by its file alone, also when the bus has moved", async () => {
  await using journal = new UpJournal({ channels: { web: { enabled: false }, sms: { external: true } } });
  const up = journal.start();
  await up.isUp();
  const file = join(journal.path, ".run/channels/sms.json");
  await journal.until(() => existsSync(file), "its file");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    nats_url: readBusAccess(journal.path)?.url,
    nats_user: "channel-sms",
    nats_token: readBusAccess(journal.path)?.passwords["channel-sms"],
  });
  await using agents = await asAgents(journal.path);
  await ensureChannelStreams(agents, ["sms"]);
  await publishOutbound(agents, outbound("o1", "sms"));
  const child = spawn(process.execPath, [plainClient, file, "sms"], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  try {
    await journal.until(() => said.split("\n").length >= 3, "it has told both");
    const [stored, heard] = said.split("\n").map((line) => line && JSON.parse(line));
    expect(stored).toEqual({ stream: inboundStream("sms"), seq: 1 });
    expect(heard).toEqual(outbound("o1", "sms"));
    const saidTo = { kind: "user", connector: "sms", channelId: "main", userId: "17" } as const;
    const inbox = inboxFile(journal.path, agentIdOf(saidTo));
    await journal.until(() => existsSync(inbox) && readFileSync(inbox, "utf8").includes("hello"), "its agent has it");
  } finally {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  // The bus comes back elsewhere.
  const before = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  const { port } = new URL(before["nats_url"] ?? "");
  const busPid = journal.pids()["nats-server"] ?? 0;
  up.signal("SIGSTOP"); // It isn't started again before somebody else has its port.
  process.kill(busPid, "SIGKILL");
  await journal.until(() => identifyProcess(busPid) === null, "the bus is gone");
  const taker = createServer().listen(Number(port), "127.0.0.1");
  try {
    await once(taker, "listening");
    up.signal("SIGCONT");
    const url = () => (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>)["nats_url"];
    await journal.until(() => url() !== before["nats_url"], "its file says where");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...before, nats_url: readBusAccess(journal.path)?.url });
  } finally {
    up.signal("SIGCONT");
    taker.close();
  }
  // Another user of the bus, since the settings name another one; the first one's file goes.
  journal.configure({ channels: { web: { enabled: false }, mail: { external: true } } });
  up.signal("SIGHUP");
  const other = join(journal.path, ".run/channels/mail.json");
  await journal.until(() => existsSync(other) && !existsSync(file), "the other's file");
  await up.stop();
  expect(existsSync(other)).toBe(false);
});

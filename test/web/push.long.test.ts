/** Browsers are told of what happens by Web Push: each thing once, nothing of its content, over refusals and restarts. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { runCortex, runCortexJson } from "../scripts/run-command.ts";
import { hasEnded } from "../support/journal-processes.ts";
import { JournalClient } from "../support/journal-client.ts";
import { PlayedPushService } from "../support/network/played-push-service.ts";

const secret = "the greenhouse heater";
let service: PlayedPushService;
let system: AgentsSystem;
let client: Client;
class Client extends JournalClient {
  readonly log = "";
}
beforeAll(async () => {
  service = await PlayedPushService.start();
  system = await AgentsSystem.start(
    {
      channels: { web: {} },
      push: { services: [service.url] },
      permissions: [{ tool: "todo_add", decide: "ask" }],
    },
    {
      "facets/garden/facet.json": JSON.stringify({ title: "Garden" }),
      "personas/miser.txt": "Save.",
      "personas/nightly.txt": "Look back.",
      "personas/nightly.json": JSON.stringify({ schedule: "daily", missed: "skip" }),
    },
  );
  system.think(`fail at ${secret}`, () => ({ status: 400, body: { type: "error" } }));
  client = new Client(system.journal, await system.up.client());
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** A browser that is let in. */
class Browser {
  readonly #cookie: string;
  readonly #word: string;
  private constructor(cookie: string, word: string) {
    this.#cookie = cookie;
    this.#word = word;
  }

  static async letIn(): Promise<Browser> {
    const { web_url: url = "", web_token: token = "" } = readEndpoints(system.journal) ?? {};
    const response = await fetch(`${url}/api/v1/session`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    });
    const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
    const { csrf_token: word } = (await response.json()) as { csrf_token: string };
    return new Browser(cookie, word);
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${readEndpoints(system.journal)?.web_url}/api/v1${path}`, {
      method,
      headers: { Cookie: this.#cookie, "X-CSRF-Token": this.#word, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }

  async device(): Promise<Record<string, unknown> | undefined> {
    const { body } = await this.call("GET", "/push");
    const { devices } = body as { devices: { is_this: boolean }[] };
    return devices.find(({ is_this }) => is_this);
  }
}

const all = ["decision", "failed", "budget", "night"];
async function subscribed(name: string, kinds = all): Promise<Browser> {
  const browser = await Browser.letIn();
  expect(await browser.call("POST", "/push", { ...service.subscribe(name), kinds })).toMatchObject({ status: 204 });
  return browser;
}
const toldOf = (browser: string, kind: string) =>
  service.told.filter((told) => told.browser === browser && told.data["kind"] === kind);
const until = <T>(answer: () => T, what: string) => system.until(answer, what);
const ended = (run: string) =>
  until(() => system.up.file(run).some(({ event }) => ["finish", "error"].includes(event)), `the end of ${run}`);

/** A limit of which a persona has used nine tenths. */
async function limitNearly(persona: string): Promise<void> {
  const run = client.request({ prompt: "save a word", persona });
  await ended(run);
  const tokens = (event: Record<string, unknown>) =>
    event["event"] === "usage" ? Number(event["input_tokens"]) + Number(event["output_tokens"]) : 0;
  const used = system.up.file(run).reduce((sum, event) => sum + tokens(event), 0);
  expect(used).toBeGreaterThan(0);
  const settings = JSON.parse(readFileSync(join(system.journal, "cortex.json"), "utf8")) as object;
  const daily = { max_total_tokens: Math.ceil(used / 0.9) };
  system.up.configure({ ...settings, budgets: { personas: { [persona]: { daily } } } });
}

test("a browser is told once of a decision, a failure, a limit and the night, and of nothing that it holds", async () => {
  system.think("save a word", () => ({ text: "Saved." }));
  await limitNearly("miser");
  const ada = await subscribed("ada");
  await subscribed("bob", ["night"]);
  system.think("add a todo", ({ results: [result] }) =>
    result
      ? { text: "Done." }
      : { calls: [{ tool: "todo_add", args: { facet: "garden", day: "20260101", text: secret } }] },
  );
  const failing = client.request({ prompt: `fail at ${secret}` });
  await until(() => toldOf("ada", "failed")[0], "it has failed");
  expect(toldOf("ada", "failed")).toEqual([
    expect.objectContaining({
      urgency: "normal",
      data: { kind: "failed", tag: expect.any(String), to: `/runs/${failing}` },
    }),
  ]);
  const asking = client.request({ prompt: "add a todo", tools: ["todo_add"] });
  const [decision] =
    (await until(() => {
      const found = toldOf("ada", "decision");
      return found.length > 0 ? found : undefined;
    }, "something waits")) ?? [];
  expect(decision).toMatchObject({ urgency: "high", ttl: 86_400, data: { to: "/" } });
  const question = String(system.up.file(asking).find(({ event }) => event === "permission")?.["id"]);
  await runCortex(system.journal, ["permissions", "deny", question]);
  await ended(asking);
  await until(() => toldOf("ada", "budget")[0], "the limit is near");
  await runCortex(system.journal, ["schedule", "run", "--day", "20260105", "--persona", "nightly"]);
  await until(() => toldOf("ada", "night")[0] && toldOf("bob", "night")[0], "the night is over");
  expect(service.told.filter(({ browser }) => browser === "bob").map(({ data }) => data["kind"])).toEqual(["night"]);
  const kinds = service.told.filter(({ browser }) => browser === "ada").map(({ data }) => String(data["kind"]));
  expect(kinds).toHaveLength(4);
  expect(kinds).toEqual(expect.arrayContaining(all));
  expect(JSON.stringify(service.told)).not.toContain("heater");
  expect(service.wrong).toEqual([]);
  expect(await ada.device()).toMatchObject({ kinds: all, service: service.url, last: { state: "sent" } });
  expect(statSync(join(system.journal, ".state/push-keys.json")).mode & 0o777).toBe(0o600);
});

test("a service that is too busy is asked again when it says, and a browser that is gone is forgotten", async () => {
  const cleo = await subscribed("cleo", ["night"]);
  const { id } = (await cleo.device()) as { id: string };
  service.refusals.push(
    { status: 429, headers: { "Retry-After": "1" } },
    { status: 503, headers: { "Retry-After": "1" } },
  );
  expect(await cleo.call("POST", `/push/${id}/try`)).toMatchObject({ status: 202 });
  await until(() => toldOf("cleo", "try")[0], "it arrives all the same");
  service.refusals.push({ status: 410 });
  expect((await runCortexJson(system.journal, ["push", "try", id.slice(0, 10)])).document).toMatchObject({ ok: true });
  await system.until(async () => (await cleo.device()) === undefined, "it is forgotten");
  expect(await runCortex(system.journal, ["push", "try", id])).toMatchObject({ code: 2 });
});

test("what was on its way when the web program was killed goes out once it is back, under the same topic", async () => {
  const dora = await subscribed("dora", ["failed"]);
  const before = service.requests;
  // It is taken, and never answered.
  service.refusals.push(null);
  const { id } = (await dora.device()) as { id: string };
  await dora.call("POST", `/push/${id}/try`);
  await until(() => service.requests > before, "it is on its way");
  const pid = system.pidOf("channel-web");
  process.kill(pid, "SIGKILL");
  await until(() => hasEnded(pid), "it is gone");
  const failing = client.request({ prompt: `fail at ${secret}` });
  await ended(failing);
  await until(() => toldOf("dora", "try")[0] && toldOf("dora", "failed")[0], "both arrive");
  expect([toldOf("dora", "try").length, toldOf("dora", "failed").length]).toEqual([1, 1]);
  expect(toldOf("dora", "failed")[0]?.data).toMatchObject({ to: `/runs/${failing}` });
});

test("a browser whose session has ended is told nothing, and nobody sends into this machine's network", async () => {
  const eve = await subscribed("eve");
  const { id } = (await eve.device()) as { id: string };
  await eve.call("DELETE", `/sessions/${id}`);
  const { document } = await runCortexJson(system.journal, ["push", "list"]);
  expect((document["devices"] as { id: string }[]).map((device) => device.id)).not.toContain(id);
  const mallory = await Browser.letIn();
  const { keys } = service.subscribe("mallory");
  for (const endpoint of [
    "http://push.example/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://10.0.0.1/x",
    "https://localhost/x",
  ])
    expect([endpoint, await mallory.call("POST", "/push", { endpoint, keys, kinds: ["night"] })]).toEqual([
      endpoint,
      { status: 400, body: { error: expect.objectContaining({ code: "invalid" }) } },
    ]);
  const key = readFileSync(join(system.journal, ".state/push-keys.json"), "utf8");
  expect(key).toContain("private_key");
  expect(JSON.stringify((await mallory.call("GET", "/push")).body)).not.toContain("private");
});

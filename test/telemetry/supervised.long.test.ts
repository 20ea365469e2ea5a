/** The program `telemetry` as `cortex up` keeps it, and what `cortex doctor` says of its receiver. */
import { expect, test } from "vitest";
import { runCortexJson } from "../scripts/run-command.ts";
import { OtlpReceiver, takes } from "../support/otlp/otlp-receiver.ts";
import { UpJournal } from "../supervisor/up-process.ts";
import { rootOf, spanIdsIn } from "./telemetry-system.ts";

type Finding = { name: string; ok: string; detail: string };

async function finding(journal: UpJournal, check = "telemetry"): Promise<Finding | undefined> {
  const { document } = await runCortexJson(journal.path, ["doctor"]);
  return (document["checks"] as Finding[]).find(({ name }) => name === check);
}

test("cortex up keeps it where the settings have a receiver: killed, it is back, and sends each run once", async () => {
  await using receiver = await OtlpReceiver.start();
  const telemetry = { otlp_url: receiver.url, headers: { "x-key": "secret-of-the-receiver" } };
  await using journal = new UpJournal({ default_backend: "offline", telemetry });
  const up = journal.start();
  await up.isUp();
  expect(journal.isReady("telemetry")).toBe(true);
  await using bus = await journal.client();
  let lastId = Date.now() - 60_000;
  const ask = (prompt: string): string => {
    const id = String(++lastId);
    bus.connection.publish("cortex.request", JSON.stringify({ ts: Number(id), prompt }));
    return id;
  };
  const isTold = (id: string) => rootOf(receiver.spans, id) !== undefined;
  const first = ask("What is due today?");
  await journal.until(() => isTold(first), "the first run");
  expect(receiver.spans.map(({ name }) => name)).toContain("execute_tool search_journal");
  journal.kill("telemetry");
  await journal.until(() => journal.program("telemetry")?.restarts === 1 && journal.isReady("telemetry"), "it is back");
  const second = ask("hello");
  await journal.until(() => isTold(second), "the second run");
  const ids = spanIdsIn(receiver);
  expect(ids).toEqual([...new Set(ids)]);
  expect(receiver.problems).toEqual([]);
  expect(await finding(journal)).toMatchObject({
    ok: "ok",
    detail: `traces and metrics go to ${receiver.url.slice(0, -1)}`,
  });
  receiver.rule = (response, heard) => {
    if (heard.path === "/v1/traces") return takes(response, heard);
    response.writeHead(404).end("no such page");
    return false;
  };
  expect(await finding(journal)).toMatchObject({
    ok: "warn",
    detail: expect.stringMatching(/ takes traces, not metrics, which are dropped: status 404: no such page$/),
  });
  receiver.rule = (response) => {
    response.writeHead(401).end("wrong key: secret-of-the-receiver");
    return false;
  };
  expect(await finding(journal)).toMatchObject({
    ok: "warn",
    detail: expect.stringMatching(/refuses.*wrong key: \*\*\*$/),
  });
  await receiver[Symbol.asyncDispose]();
  expect(await finding(journal)).toMatchObject({ ok: "warn", detail: expect.stringContaining("doesn't take") });
});

test("other settings start it anew, without a receiver there is no such program, and it comes with one", async () => {
  await using receiver = await OtlpReceiver.start();
  await using journal = new UpJournal({ telemetry: { otlp_url: receiver.url } });
  const up = journal.start();
  await up.isUp();
  const before = journal.pids()["telemetry"];
  const channels = { web: { enabled: false } };
  journal.configure({ channels, telemetry: { otlp_url: receiver.url, content: true } });
  up.signal("SIGHUP");
  await journal.until(() => journal.isReady("telemetry") && journal.pids()["telemetry"] !== before, "it is another");
  journal.configure({ channels });
  up.signal("SIGHUP");
  await journal.until(() => journal.program("telemetry") === undefined, "it has left");
  expect(await finding(journal)).toEqual({ name: "telemetry", ok: "ok", detail: "off: cortex.json has no telemetry" });
  expect(await finding(journal, "programs")).toMatchObject({ ok: "ok" });
  journal.configure({ channels, telemetry: { otlp_url: receiver.url } });
  up.signal("SIGHUP");
  await journal.until(() => journal.isReady("telemetry"), "it is back");
});

/** A run that is asked for with a key, and the web program that dies when it was asked for and hasn't said so: sent again, it is the same run. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webToken } from "../../../../journal/access/token-file.ts";
import { listRuns } from "../../../../journal/runs/list-runs.ts";
import { StopPoint } from "../../../chaos/stop-point.ts";
import { UpJournal } from "../../../supervisor/up-process.ts";
import { WebCaller } from "../../web-caller.ts";

const stop = new StopPoint();
let up: UpJournal;
let web: WebCaller;
beforeAll(async () => {
  up = new UpJournal({ default_backend: "offline", channels: { web: { enabled: true } } }, stop.env);
  await up.start().isUp();
  web = new WebCaller(up.path, await webToken(up.path));
});
afterAll(async () => {
  stop[Symbol.dispose]();
  await up[Symbol.asyncDispose]();
});

const runs = async () => (await listRuns(up.path, 50)).map(({ agent_id: id }) => id);

/** Sends a request again and again until it is answered, and kills the web program when the run was asked for. */
async function killedOnce(path: string, body: object, key: string): Promise<string> {
  stop.set("run-requested", 1);
  const answer = web.call<{ id: string }>("POST", path, body, key);
  await up.until(() => stop.isReached(), "it was asked for");
  stop.clear();
  up.kill("channel-web");
  return (await answer).id;
}

test("asked for, continued and done again: each is one run, though it was sent twice", async () => {
  const id = await killedOnce("/runs", { prompt: "What is due today?" }, "ask");
  expect(await runs()).toEqual([id]);
  await up.until(() => up.hasEnded(id), "it has ended");
  const next = await killedOnce(`/runs/${id}/continue`, { prompt: "And tomorrow?" }, "continue");
  expect(await runs()).toEqual([next, id]);
  await up.until(() => up.hasEnded(next), "it has ended");
  const again = await killedOnce(`/runs/${id}/again`, {}, "again");
  expect(await runs()).toEqual([again, next, id]);
  await up.until(() => up.hasEnded(again), "it has ended");
  // The same key again is answered the same, another key is another run.
  expect((await web.call<{ id: string }>("POST", "/runs", { prompt: "What is due today?" }, "ask")).id).toBe(id);
  const other = (await web.call<{ id: string }>("POST", "/runs", { prompt: "What is due today?" }, "other")).id;
  await up.until(() => up.hasEnded(other), "it has ended");
  expect(await runs()).toEqual([other, again, next, id]);
  expect(readdirSync(join(up.path, ".state/asked"))).toHaveLength(4);
});

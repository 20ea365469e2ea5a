import { expect, test } from "vitest";
import { listModels } from "../../../backends/anthropic/models.ts";
import { environmentOf, key } from "../../support/backends/anthropic-run.ts";
import { errorBody, startAnthropic } from "../../support/providers/anthropic.ts";

const model = (id: string, lifecycle = "active") => ({ type: "model", id, display_name: id, lifecycle });
const page = (has_more: boolean, ...data: ReturnType<typeof model>[]) => ({
  status: 200,
  body: { data, has_more, first_id: data[0]?.id, last_id: data.at(-1)?.id },
});
const never = () => new AbortController().signal;

test("the models of all pages are listed, but for those that can't be called any more", async () => {
  await using played = await startAnthropic([
    page(true, model("claude-b"), model("claude-a", "deprecated")),
    page(false, model("claude-0", "retired"), model("claude-1")),
  ]);
  expect(await listModels(environmentOf(played), never())).toEqual(["claude-b", "claude-a", "claude-1"]);
  expect(played.refusals).toEqual([]);
  expect(played.requests.map(({ path }) => path)).toEqual([
    "/v1/models?limit=1000",
    "/v1/models?limit=1000&after_id=claude-a",
  ]);
});

test("a refused key is told as that", async () => {
  await using played = await startAnthropic([{ status: 401, body: errorBody("authentication_error", `no: ${key}`) }]);
  await expect(listModels(environmentOf(played), never())).rejects.toMatchObject({
    reason: "config",
    message: "anthropic refused the key (401): check ANTHROPIC_API_KEY. It says: no: ***",
  });
});

test("the listing of models can be stopped", async () => {
  await using played = await startAnthropic([{ silent: true }]);
  const stopping = new AbortController();
  const listed = listModels(environmentOf(played), stopping.signal);
  stopping.abort(new Error("enough"));
  await expect(listed).rejects.toThrow("enough");
});

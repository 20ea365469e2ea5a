import { expect, test } from "vitest";
import { listModels } from "../../../backends/google/models.ts";
import { playGoogle } from "../../support/providers/google.ts";
import { environmentOf } from "./played-run.ts";

test("the models that answer are listed, from all pages", async () => {
  await using server = await playGoogle([]);
  const models = await listModels(environmentOf(server), new AbortController().signal);
  expect(models).toEqual(["gemini-played-flash", "gemini-played-pro"]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/v1beta/models?pageSize=200",
    "/v1beta/models?pageSize=200&pageToken=second",
  ]);
});

test("a refused key is told as such", async () => {
  await using server = await playGoogle([]);
  const listing = listModels({ GOOGLE_GEMINI_BASE_URL: server.url }, new AbortController().signal);
  await expect(listing).rejects.toMatchObject({ reason: "config", message: expect.stringContaining("GEMINI_API_KEY") });
});

/** Calls of a tool that isn't there: over HTTP to the real program, with someone in the place of the agents' service. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AgentsService } from "../agents-service.ts";
import { callTool } from "../tools-server.ts";

let service: AgentsService;
beforeAll(async () => {
  service = await AgentsService.start();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => void service.calls.splice(0));

let run = 1736380800001;
const callOften = async (times: number) => {
  const client = await service.client(["todo_list"], String(run++));
  const answers = [];
  for (let time = 0; time < times; time++) answers.push(await callTool(client, "todo_lsit", { facet: "garden" }));
  return answers;
};
const missing = { isError: true, text: 'no tool "todo_lsit" here: this run has todo_list' };

test("the same call of a tool that isn't there, again and again, is asked about as a loop", async () => {
  service.answers.set("ask_permission", { ok: true, result: { state: "deny", by: "cli:main" } });
  const answers = await callOften(6);
  expect(answers).toEqual([
    ...Array(4).fill(missing),
    { isError: true, text: expect.stringMatching(/^todo_lsit isn't made, since you repeat yourself: .*denied by/) },
    missing,
  ]);
  expect(service.calls.map(({ tool, args }) => ({ tool, args }))).toEqual([
    {
      tool: "ask_permission",
      args: expect.objectContaining({
        tool: "loop",
        loop: true,
        args: { tool: "todo_lsit", args: { facet: "garden" } },
        why: "it made the same call 5 times in a row (todo_lsit)",
      }),
    },
  ]);
});

test("where it is allowed to go on, its model reads once more that the tool isn't there", async () => {
  service.answers.set("ask_permission", { ok: true, result: { state: "allow", by: "cli:main" } });
  expect(await callOften(5)).toEqual(Array(5).fill(missing));
  expect(service.calls).toHaveLength(1);
});

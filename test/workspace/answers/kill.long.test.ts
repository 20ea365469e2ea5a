/** Tasks over kill -9 of every program, asked for over HTTP: none is lost, and none answers twice. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { answerFailpoints } from "../../../proc/programs/failpoint.ts";
import type { Task } from "../../../workspace/records/task.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { describeDatabases } from "../temporary-store.ts";
import { WebTeam } from "./web-team.ts";

const count = 24;
/** Every so many are cancelled as soon as they are asked for. */
const cancelledEach = 6;
/** Programs are restarted at once only so often: each is killed a few times. */
const victims = ["channel-web", "cortex", "channel-web", "nats-server", "channel-web", "cortex"];

describeDatabases((newTarget) => {
  test("the web program, cortex and the bus are killed while agents answer: each task ends once, as it should", async () => {
    await using team = await WebTeam.start(await newTarget());
    const { journal } = team;
    const threads = await Promise.all(["Beans", "Peas", "Leeks"].map((title) => team.newThread(title)));
    const killing = (async () => {
      for (const name of victims) {
        await delay(400);
        // The bus's death may have ended it as well.
        await journal.until(() => journal.isReady(name), `${name} is there`);
        journal.kill(name);
        await delay(200);
        await journal.until(() => journal.isReady(name), `${name} is back`);
      }
    })();
    const tasks: Task[] = [];
    for (let number = 0; number < count; number++) {
      const task = await team.ask(threads[number % threads.length] ?? "", `@coder number ${number}`);
      tasks.push(task);
      // It may have been answered before.
      if (isCancelled(number)) await team.call("POST", `/tasks/${task.id}/cancel`).catch(() => {});
      await delay(100);
    }
    await killing;
    const ended = await Promise.all(tasks.map(({ id }) => team.ended(id)));
    const answers = (await Promise.all(threads.map((id) => team.answers(id)))).flat();
    for (const [number, { id, status, output, error }] of ended.entries()) {
      const own = answers.filter(({ metadata }) => metadata.taskId === id);
      expect([number, status, error]).toEqual([number, isCancelled(number) ? expect.any(String) : "completed", null]);
      if (status === "cancelled") expect(own.length).toBeLessThan(2);
      else expect(own).toMatchObject([{ id: output?.messageId, text: `Answer to number ${number}.` }]);
    }
    expect(answers.filter(({ author_type }) => author_type === "system")).toEqual([]);
  });

  test("the web program is killed at each moment of an answer: it goes on with the same run, and answers once", async () => {
    using stop = new StopPoint();
    await using team = await WebTeam.start(await newTarget(), stop.env);
    const threadId = await team.newThread("Beans");
    for (const [number, point] of answerFailpoints.entries()) {
      stop.set(point, 1);
      const { id } = await team.ask(threadId, `@coder number ${number}`);
      await team.journal.until(() => stop.isReached(), point);
      stop.clear();
      team.journal.kill("channel-web");
      expect([point, await team.ended(id)]).toMatchObject([point, { status: "completed" }]);
      const own = (await team.answers(threadId)).filter(({ metadata }) => metadata.taskId === id);
      expect([point, own]).toMatchObject([point, [{ text: `Answer to number ${number}.`, author_type: "agent" }]]);
    }
  });
});

const isCancelled = (number: number) => number % cancelledEach === cancelledEach - 1;

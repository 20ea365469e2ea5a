/** The web program is killed with -9 behind what it has stored, and behind what it has sent: a bound group and its thread have each message once. */
import { expect, test } from "vitest";
import { webToken } from "../../../journal/access/token-file.ts";
import { roomFailpoints } from "../../../proc/programs/failpoint.ts";
import type { CreatedBinding } from "../../../workspace/records/binding.ts";
import type { Workspace } from "../../../workspace/records/people.ts";
import type { Thread } from "../../../workspace/records/thread.ts";
import { BotApi, botToken } from "../../channels/telegram/bot-api.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { UpJournal } from "../../supervisor/up-process.ts";
import { askUntil } from "../../support/ask-until.ts";
import { patienceMs } from "../../support/patience.ts";
import { WebCaller } from "../web-caller.ts";

const group = { chat: { id: -100500, type: "supergroup", title: "Garden" } };
const numbers = [0, 1, 2, 3];

test("a group and its thread have each message once, wherever the web program is killed", async () => {
  await using api = await BotApi.start();
  using stop = new StopPoint();
  await using up = new UpJournal(
    { channels: { telegram: { token_env: "BOT_TOKEN", api_url: api.root } } },
    { BOT_TOKEN: botToken, ...stop.env },
  );
  await up.start().isUp();
  const web = new WebCaller(up.path, await webToken(up.path));
  const { items } = await web.call<{ items: [Workspace] }>("GET", "/workspaces");
  const thread = await web.call<Thread>("POST", `/workspaces/${items[0].id}/threads`, { title: "Seeds" });
  const { code } = await web.call<CreatedBinding>("POST", `/threads/${thread.id}/bindings`, { type: "telegram" });
  api.write(`/bind ${code}`, group, 17);
  await up.until(() => api.texts.some((text) => text.startsWith("Bound to")), "the group is bound");

  for (const point of roomFailpoints) {
    stop.set(point, 2);
    for (const number of numbers) api.write(`${point} ${number} in the group`, group, 17);
    // The one that stops doesn't answer: what is posted then is posted again under its key, once another is there.
    const posting = numbers.map((number) =>
      web.call(
        "POST",
        `/threads/${thread.id}/messages`,
        { text: `${point} ${number} in the thread` },
        `${point}-${number}`,
      ),
    );
    await up.until(() => stop.isReached(), point);
    stop.clear();
    up.kill("channel-web");
    await Promise.all(posting);
    const sent = () => api.texts.filter((text) => text.startsWith(`Owner: ${point}`));
    await up.until(() => sent().length >= numbers.length, `the group has what was said at ${point}`);
    const inThread = async () => {
      const messages = await web.messages(thread.id);
      const texts = messages.map(({ text }) => text).filter((text) => text.startsWith(point));
      return texts.length >= 2 * numbers.length && texts;
    };
    const texts = await askUntil(inThread, () => `all of ${point} in the thread`, patienceMs);
    expect(texts.filter((text) => text.endsWith("group"))).toEqual(
      numbers.map((number) => `${point} ${number} in the group`),
    );
    const posted = texts.filter((text) => text.endsWith("thread"));
    expect(posted.toSorted()).toEqual(numbers.map((number) => `${point} ${number} in the thread`));
    expect(sent()).toEqual(posted.map((text) => `Owner: ${text}`));
  }
});

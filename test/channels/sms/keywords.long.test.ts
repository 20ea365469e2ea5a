/** The words with which people end and begin messages, and numbers that take no more. */
import { expect, test } from "vitest";
import { ada, startNumber, toAda } from "./sms-number.ts";

const empty = `<?xml version="1.0" encoding="UTF-8"?><Response/>`;

test("STOP ends what goes out to a number, over a restart, until START; neither is a message", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  expect(await twilio.write(" stop \n")).toMatchObject({ status: 200, body: empty });
  await system.say(toAda("one"));
  expect(await system.receipt("one")).toEqual({
    ok: false,
    error: `${ada} has asked for no more messages (STOP): nothing goes out until it sends START`,
  });
  await number.first.kill();
  await number.start();
  await system.say(toAda("two"));
  expect(await system.receipt("two")).toMatchObject({ ok: false });
  await system.say({ ...toAda("other"), channel: { type: "sms", channelId: "+491700000018" } });
  expect(await system.receipt("other")).toMatchObject({ ok: true });
  expect(await twilio.write("yes")).toMatchObject({ status: 200, body: empty });
  await system.say(toAda("three"));
  expect(await system.receipt("three")).toMatchObject({ ok: true });
  expect(twilio.texts).toEqual(["text of other", "text of three"]);
  // By a word that the account has set at Twilio, which says what it has taken it as.
  expect(await twilio.write("arrêt", { more: { OptOutType: "STOP" } })).toMatchObject({ status: 200, body: empty });
  await system.say(toAda("four"));
  expect(await system.receipt("four")).toMatchObject({ ok: false });
  expect(await twilio.write("Start")).toMatchObject({ status: 200, body: empty });
  // To a question of the agent's, once nothing is stopped.
  await twilio.write("Yes");
  await twilio.write("Stop the heating at noon");
  await system.until(() => system.messages.length === 2, "both");
  expect(system.messages.map(({ text }) => text)).toEqual(["Yes", "Stop the heating at noon"]);
});

test("HELP is answered by a fixed text, unless Twilio has answered it", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const { body } = await twilio.write("help");
  expect(body).toMatch(/<Response><Message>An assistant answers here.*STOP.*START.*<\/Message><\/Response>$/);
  expect((await twilio.write("INFO", { more: { OptOutType: "HELP" } })).body).toBe(empty);
  await twilio.write("help me");
  await system.until(() => system.messages.length === 1, "what is no such word");
  expect(system.messages[0]?.text).toBe("help me");
});

test("Twilio's word that a number is unsubscribed is for good, and noted", async () => {
  await using number = await startNumber();
  const { twilio, system } = number;
  const unsubscribed = "Attempt to send to unsubscribed recipient";
  twilio.fail({ status: 400, code: 21610, message: unsubscribed });
  await system.say(toAda("one"));
  expect(await system.receipt("one")).toEqual({ ok: false, error: `Twilio: 400 21610 ${unsubscribed}` });
  await system.say(toAda("two"));
  expect((await system.receipt("two")).error).toContain("STOP");
  expect(twilio.calls.filter(({ path }) => path.endsWith("/Messages.json"))).toHaveLength(1);
});

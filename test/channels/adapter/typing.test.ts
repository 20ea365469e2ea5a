/** When "typing …" is shown in a room, and when no more. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Typing } from "../../../channels/adapter/typing.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const room = (channelId: string, replyTo?: string) => ({ type: "telegram", channelId, ...(replyTo && { replyTo }) });
const started = (...ids: string[]) => ({ event: "turn_started", ids }) as const;
const ended = (...ids: string[]) => ({ event: "turn_ended", ids }) as const;
/** Lets what is under way be done, and so much time pass. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

/** @param show of the service @param hides whether the service has to be told that it is over */
function open({ show = async () => {}, hides = false }: { show?: () => Promise<unknown>; hides?: boolean } = {}) {
  /** Signs that were shown, and with a minus those that were taken away. */
  const told: string[] = [];
  const problems: unknown[] = [];
  const typing = new Typing<string>({
    everyMs: 5000,
    show: (sign) => {
      told.push(sign);
      return show();
    },
    ...(hides && { hide: async (sign: string) => told.push(`-${sign}`) }),
    onProblem: (error) => problems.push(error),
  });
  return { typing, told, problems };
}

test("it is shown at once and every five seconds, until a message goes out there", async () => {
  const { typing, told } = open();
  typing.begin("1", room("a"), "a");
  typing.begin("2", room("a", "5"), "a5");
  await pass(5000);
  typing.answered(room("a"));
  await pass(5000);
  expect(told).toEqual(["a", "a5", "a", "a5", "a5"]);
  typing[Symbol.dispose]();
  await pass(60_000);
  expect(told).toHaveLength(5);
});

test("it is shown for five minutes at most where no turn is heard of", async () => {
  const { typing, told } = open();
  typing.begin("1", room("a"), "a");
  await pass(600_000);
  expect(told).toHaveLength(60);
  expect(vi.getTimerCount()).toBe(0);
  typing.begin("2", room("a"), "a");
  await pass();
  expect(told).toHaveLength(61);
  typing[Symbol.dispose]();
});

test("it is shown for as long as a turn takes, an hour at most", async () => {
  const { typing, told } = open({ hides: true });
  typing.begin("1", room("a"), "a");
  typing.turned(started("1"));
  await pass(600_000);
  expect(told).toHaveLength(121);
  typing.turned(ended("1"));
  await pass();
  expect(told.at(-1)).toBe("-a");
  typing.begin("2", room("a"), "a");
  typing.turned(started("2"));
  await pass(7_200_000);
  expect(told.at(-1)).toBe("-a");
  expect(vi.getTimerCount()).toBe(0);
});

test("it ends with the turn that says nothing, and not while another message waits there", async () => {
  const { typing, told } = open({ hides: true });
  typing.begin("1", room("a"), "a");
  typing.begin("2", room("a"), "a");
  await pass();
  typing.begin("3", room("b"), "b");
  typing.turned(started("1"));
  typing.turned(ended("1", "unknown"));
  await pass();
  expect(told).toEqual(["a", "a", "b"]);
  typing.turned(ended("2"));
  await pass(5000);
  expect(told).toEqual(["a", "a", "b", "-a", "b"]);
  typing[Symbol.dispose]();
});

test("a turn that begins behind an answer shows it anew for its message, and none for others", async () => {
  const { typing, told } = open({ hides: true });
  typing.begin("1", room("a"), "a1");
  typing.begin("2", room("a"), "a2");
  typing.answered(room("a"));
  typing.turned(ended("1"));
  typing.turned(started("1", "unknown"));
  await pass(5000);
  expect(told).toEqual(["a1", "-a1", "a2", "-a2"]);
  typing.turned(started("2"));
  typing.answered(room("a"));
  await pass();
  expect(told.slice(4)).toEqual(["a2", "-a2"]);
});

test("a turn that has ended before its message is known to be stored shows nothing", async () => {
  const { typing, told } = open();
  typing.turned(ended("1"));
  typing.begin("1", room("a"), "a");
  await pass();
  expect(told).toEqual([]);
});

test("it is taken away only once it is up, however long that takes", async () => {
  const shown = Promise.withResolvers<void>();
  const { typing, told } = open({ show: () => shown.promise, hides: true });
  typing.begin("1", room("a"), "a");
  typing.answered(room("a"));
  await pass();
  expect(told).toEqual(["a"]);
  shown.resolve();
  await pass();
  expect(told).toEqual(["a", "-a"]);
});

test("where it can't be shown it isn't tried again for that message, nor taken away", async () => {
  const { typing, told, problems } = open({ show: async () => Promise.reject(new Error("Forbidden")), hides: true });
  typing.begin("1", room("a"), "a");
  await pass(60_000);
  typing.turned(started("1"));
  typing.answered(room("a"));
  await pass(60_000);
  expect([told, problems]).toEqual([["a"], [new Error("Forbidden")]]);
  typing.begin("2", room("a"), "a");
  await pass();
  expect(told).toHaveLength(2);
});

test("a refusal that comes when another message was taken doesn't end what is shown for that", async () => {
  const refusals = [new Error("Busy")];
  const show = async () => {
    const refusal = refusals.shift();
    if (refusal) throw refusal;
  };
  const { typing, told, problems } = open({ show });
  typing.begin("1", room("a"), "a");
  typing.begin("2", room("a"), "a");
  await pass(5000);
  expect([told, problems]).toEqual([["a", "a", "a"], [new Error("Busy")]]);
  typing[Symbol.dispose]();
});

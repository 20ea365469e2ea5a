import { expect, test } from "vitest";
import { KeptEvents } from "../../../../web/machine/events/kept-events.ts";
import { MachineEvents, type Tell } from "../../../../web/machine/events/machine-events.ts";

test("events are kept in order as far as the bounds go, and what gave way is told to be unknown", () => {
  const kept = new KeptEvents({ events: 3, characters: 1000 });
  for (const n of [1, 2, 3, 4, 5]) kept.add("run.changed", { n });
  expect(kept.after(2, 10)?.map(({ number, id }) => [number, id])).toEqual(
    [3, 4, 5].map((number) => [number, kept.idOf(number)]),
  );
  expect(kept.after(2, 1)).toHaveLength(1);
  expect(kept.after(5, 10)).toEqual([]);
  expect(kept.after(1, 10)).toBeNull();
  kept.add("run.changed", { long: "x".repeat(2000) });
  expect(kept.after(5, 10)).toHaveLength(1);
  expect(kept.after(4, 10)).toBeNull();
});

test("an id is a number of its own life alone", () => {
  const [one, other] = [new KeptEvents(), new KeptEvents()];
  for (const kept of [one, other]) kept.add("reset", {});
  expect(one.numberOf(one.idOf(1))).toBe(1);
  expect(one.numberOf(one.idOf(2))).toBeNull();
  expect(one.numberOf(other.idOf(1))).toBeNull();
  for (const id of ["", "1", "-1", `${one.idOf(1)}0000000000000000000`, `${one.idOf(1)} `, `A${one.idOf(1).slice(1)}`])
    expect([id, one.numberOf(id)]).toEqual([id, null]);
});

/** Sources that say when they are watched, and tell what a test wants. */
function watched(idleMs: number) {
  const state = { open: 0, closed: Promise.withResolvers<void>(), tell: (() => {}) as Tell };
  const events = new MachineEvents((tell) => {
    state.open++;
    state.tell = tell;
    state.closed = Promise.withResolvers<void>();
    return { [Symbol.dispose]: () => state.closed.resolve() };
  }, idleMs);
  return { events, state };
}

test("nothing is watched before somebody asks, nor long after the last has gone; a position of before is told to be unknown then", async () => {
  const { events, state } = watched(20);
  using _ = events;
  expect(state.open).toBe(0);
  const { position } = events;
  expect(state.open).toBe(1);
  await state.closed.promise;
  const listening = events.listen(position, new AbortController().signal);
  expect(listening.position).not.toBe(position);
  for await (const { id, event } of listening) {
    expect([id, event]).toEqual([listening.position, "reset"]);
    break;
  }
  expect(state.open).toBe(2);
  await state.closed.promise;
});

test("whoever reads slowly is told once to read anew, and goes on from there; whoever reads along hears all", async () => {
  const { events, state } = watched(10_000);
  using _ = events;
  const stop = new AbortController();
  const slow = events.listen(null, stop.signal)[Symbol.asyncIterator]();
  state.tell("run.changed", { n: 0 });
  expect((await slow.next()).value).toMatchObject({ event: "run.changed", data: { n: 0 } });
  for (let n = 1; n <= 5000; n++) state.tell("run.changed", { n });
  expect((await slow.next()).value).toMatchObject({ event: "reset", id: events.position });
  state.tell("run.changed", { n: 5001 });
  expect((await slow.next()).value).toMatchObject({ event: "run.changed", data: { n: 5001 } });
  stop.abort();
  expect((await slow.next()).done).toBe(true);
});

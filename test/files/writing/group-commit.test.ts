import { expect, test } from "vitest";
import { GroupCommit, type Syncable } from "../../../files/writing/group-commit.ts";

const commits = new GroupCommit();

/** Something whose syncs end when the test says so. */
class Slow implements Syncable {
  readonly begun: string[];
  readonly #name: string;
  #end: (error?: Error) => void = () => {};

  constructor(name: string, begun: string[]) {
    this.#name = name;
    this.begun = begun;
  }

  sync(): Promise<void> {
    this.begun.push(this.#name);
    return new Promise((resolve, reject) => {
      this.#end = (error) => (error ? reject(error) : resolve());
    });
  }

  end(error?: Error): void {
    this.#end(error);
  }
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};

test("two at a time; who is waited for comes before what is only written; what is asked for twice is done once", async () => {
  const begun: string[] = [];
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => new Slow(name, begun)) as [Slow, Slow, Slow, Slow];
  const first = [commits.lasting(a), commits.lasting(b)];
  commits.soon(c);
  commits.soon(c);
  const second = [commits.lasting(d), commits.lasting(d)];
  expect(begun).toEqual(["a", "b"]);
  a.end();
  await first[0];
  await until(() => begun.length === 3);
  expect(begun).toEqual(["a", "b", "d"]);
  b.end();
  await until(() => begun.length === 4);
  expect(begun).toEqual(["a", "b", "d", "c"]);
  d.end();
  c.end();
  await Promise.all([...first, ...second]);
  await until(() => !commits.isPending(c));
  expect(begun).toHaveLength(4);
});

test("a commit that is under way doesn't count for what was written since", async () => {
  const begun: string[] = [];
  const a = new Slow("a", begun);
  const first = commits.lasting(a);
  const second = commits.lasting(a);
  a.end();
  await first;
  await until(() => begun.length === 2);
  a.end();
  await second;
  expect(begun).toEqual(["a", "a"]);
});

test("a failure while nobody waited is told to the next who does", async () => {
  const a = new Slow("a", []);
  commits.soon(a);
  await until(() => a.begun.length === 1);
  a.end(new Error("EIO"));
  await until(() => commits.isPending(a) && a.begun.length === 1);
  const told = commits.lasting(a);
  await until(() => a.begun.length === 2);
  a.end();
  await expect(told).rejects.toThrow("EIO");
});

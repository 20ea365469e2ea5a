/** The text of the profile for macOS: it can't be run on the machines of these tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { seatbeltProfile } from "../../sandbox/seatbelt.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "seatbelt-")));
afterAll(() => rmSync(root, { recursive: true }));
const folder = join(root, "work");
mkdirSync(join(folder, "sub/.git/hooks"), { recursive: true });
const walls = { folder, scratch: join(root, "own"), hidden: [root, "/Users/ada/.ssh"], shown: [join(root, "journal")] };
const linesOf = (port: number | null = null) => seatbeltProfile(walls, port).split("\n");

test("everything is denied at first, and nothing of the network is allowed", () => {
  expect(linesOf().slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  expect(linesOf().filter((line) => line.includes("network"))).toEqual([]);
  expect(linesOf().filter((line) => line.startsWith("(allow file-write"))).toEqual([
    '(allow file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
  ]);
});

test("what is hidden comes after what is read, and what is in it after that: later rules win", () => {
  const lines = linesOf();
  const at = (line: string) => {
    expect(lines).toContain(line);
    return lines.indexOf(line);
  };
  const order = [
    at("(allow file-read*)"),
    at(`(deny file-read* file-write* (subpath "${root}"))`),
    at(`(allow file-read-metadata (literal "${root}"))`),
    at(`(allow file-read* (subpath "${root}/journal"))`),
    at(`(deny file-write* (subpath "${root}/journal"))`),
    at(`(allow file-read* file-write* (subpath "${folder}"))`),
    at(`(deny file-write-unlink (literal "${folder}/sub/.git"))`),
    at(`(deny file-write* (subpath "${folder}/sub/.git/hooks"))`),
    at(`(allow file-read* file-write* (subpath "${root}/own"))`),
    at("(deny file-write-setugid)"),
  ];
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  at('(deny file-read* file-write* (subpath "/Users/ada/.ssh"))');
});

test("the proxy's port is all that it reaches", () => {
  expect(linesOf(8123).filter((line) => line.includes("network"))).toEqual([
    '(allow network-outbound (remote tcp "localhost:8123"))',
  ]);
});

test("a path can't end its text, and one with control characters is refused", () => {
  const odd = { ...walls, shown: ['/a")(allow default)("', "/b\\"] };
  const profile = seatbeltProfile(odd, null);
  expect(profile).toContain(String.raw`(allow file-read* (subpath "/a\")(allow default)(\""))`);
  expect(profile).toContain(String.raw`(allow file-read* (subpath "/b\\"))`);
  expect(() => seatbeltProfile({ ...walls, hidden: ["/a\n(allow default)"] }, null)).toThrow("can't name");
});

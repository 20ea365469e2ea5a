import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listApps, watchApps } from "../../../journal/programs/apps.ts";

let journal: string;
beforeEach(() => {
  journal = realpathSync(mkdtempSync(join(tmpdir(), "apps-")));
});
afterEach(() => rmSync(journal, { recursive: true }));

function write(path: string, text = ""): string {
  mkdirSync(dirname(join(journal, path)), { recursive: true });
  writeFileSync(join(journal, path), text);
  return join(journal, path);
}
const list = () => listApps([join(journal, "project"), join(journal, "apps")]);

test("an app has the modules of its tools folder, and nothing else makes one", () => {
  const b = write("apps/two/tools/b.ts");
  const a = write("apps/two/tools/a.js");
  write("apps/two/tools/types.d.ts");
  write("apps/two/tools/notes.md");
  write("apps/two/tools/.hidden.ts");
  write("apps/two/other.ts");
  write("apps/personas-only/personas/p.txt");
  write("apps/Bad Name/tools/a.ts");
  write("apps/file.ts");
  expect(list()).toMatchObject([{ name: "two", folder: join(journal, "apps/two"), files: [a, b], problems: [] }]);
});

test("an app of the journal wins over the project's of the same name", () => {
  write("project/same/tools/a.ts");
  const own = write("apps/same/tools/a.ts");
  const other = write("project/other/tools/a.ts");
  expect(list().map(({ files }) => files)).toEqual([[other], [own]]);
});

test("a link out of the folder of apps isn't loaded, and is named", () => {
  const outside = write("elsewhere/evil.ts");
  write("apps/one/tools/a.ts");
  symlinkSync(outside, join(journal, "apps/one/tools/evil.ts"));
  mkdirSync(join(journal, "apps/two"));
  symlinkSync(dirname(outside), join(journal, "apps/two/tools"));
  const [one, two] = list();
  expect(one).toMatchObject({
    files: [join(journal, "apps/one/tools/a.ts")],
    problems: [expect.stringMatching(/evil\.ts/)],
  });
  expect(two).toMatchObject({ files: [], problems: [expect.stringMatching(/is outside/)] });
});

test("an app's version changes with any of its code, and with nothing else", () => {
  write("apps/one/tools/a.ts");
  write("apps/one/lib/deep/help.ts", "1");
  const [before] = list();
  write("apps/one/personas/p.txt");
  write("apps/one/node_modules/x/index.js");
  write("apps/other/tools/b.ts");
  expect(list()[0]?.version).toBe(before?.version);
  write("apps/one/lib/deep/help.ts", "12");
  expect(list()[0]?.version).not.toBe(before?.version);
});

test("a change of code is heard, in apps that are there and in those that come", async () => {
  const stop = new AbortController();
  let heard = Promise.withResolvers<void>();
  const failed: unknown[] = [];
  await watchApps(journal, {
    onChange: () => heard.resolve(),
    onProblem: (error) => failed.push(error),
    signal: stop.signal,
  });
  write("apps/one/tools/a.ts");
  await heard.promise;
  heard = Promise.withResolvers();
  write("apps/one/tools/a.ts", "changed");
  await heard.promise;
  stop.abort();
  expect(failed).toEqual([]);
});

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listSkills, readSkill, withArguments } from "../../../journal/agents/skills.ts";

let root: string;
let journal: string;
let builtIn: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skills-")));
  journal = join(root, "journal");
  builtIn = join(root, "package", "skills");
  mkdirSync(journal);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (folder: string, name: string, text: string | Buffer) => {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "SKILL.md"), text);
};
const own = (name: string, text: string | Buffer) => write(join(journal, "skills"), name, text);

test("there are none without a folder", async () => {
  expect(await listSkills(journal, { builtIn })).toEqual([]);
});

test("skills are listed by name; one of the journal wins over the package's", async () => {
  write(builtIn, "mail", "---\ndescription: Built in.\n---\nbuilt in");
  write(builtIn, "weather", "---\nname: weather\ndescription: >\n  What it is\n  like outside.\n---\nLook.");
  own(
    "mail",
    "\uFEFF---\r\ndescription: 'Own: writes mail'\r\ndisable-model-invocation: true\r\nother: [1]\r\n---\r\n\r\nWrite.\r\n",
  );
  expect(await listSkills(journal, { builtIn })).toEqual([
    { name: "mail", description: "Own: writes mail", source: "journal", isForModels: false },
    { name: "weather", description: "What it is like outside.", source: "package", isForModels: true },
  ]);
  expect((await readSkill(journal, "mail", builtIn)).body).toBe("Write.\n");
  expect((await readSkill(journal, "weather", builtIn)).body).toBe("Look.");
});

test("a broken one is left out with its problem, and the others go on", async () => {
  own("good", "---\ndescription: Good.\n---\n");
  own("bare", "Just text.");
  own("open", "---\ndescription: Never ends.\n");
  own("mute", "---\nname: mute\n---\n");
  own("other", "---\nname: another\ndescription: x\n---\n");
  own("yaml", "---\ndescription: [\n---\n");
  own("bomb", `---\na: &a [x]\nb: &b [*a, *a]\ndescription: *b\n---\n`);
  own("vague", "---\ndescription: x\ndisable-model-invocation: yes please\n---\n");
  own("bytes", Buffer.from([0x2d, 0]));
  own("long", `---\ndescription: x\n---\n${"x".repeat(200_000)}`);
  own("Bad Name", "---\ndescription: x\n---\n");
  mkdirSync(join(journal, "skills", "empty"));
  mkdirSync(join(journal, "skills", "pipe"));
  execFileSync("mkfifo", [join(journal, "skills", "pipe", "SKILL.md")]);
  writeFileSync(join(root, "outside.md"), "---\ndescription: x\n---\nsecret");
  mkdirSync(join(journal, "skills", "link"));
  symlinkSync(join(root, "outside.md"), join(journal, "skills", "link", "SKILL.md"));
  const problems = new Map<string, string>();
  const skills = await listSkills(journal, { onProblem: ({ name, error }) => problems.set(name, error.message) });
  expect(skills.map(({ name }) => name)).toEqual(["good"]);
  expect(Object.fromEntries(problems)).toEqual({
    bare: expect.stringContaining("expected it to begin with a line ---"),
    open: expect.stringContaining("expected it to begin with a line ---"),
    mute: expect.stringContaining("description: expected"),
    other: expect.stringContaining('its name is "another"'),
    yaml: expect.stringContaining('the skill "yaml" can\'t be used'),
    bomb: expect.stringContaining('the skill "bomb" can\'t be used'),
    vague: expect.stringContaining("disable-model-invocation: expected boolean"),
    bytes: expect.stringContaining("not UTF-8 text"),
    long: expect.stringContaining("more than 131072"),
    pipe: expect.stringContaining("not a regular file"),
    link: expect.stringContaining("is outside"),
  });
  await expect(readSkill(journal, "vague")).rejects.toThrow("disable-model-invocation");
  await expect(readSkill(journal, "nonsuch")).rejects.toThrow('no skill "nonsuch": the skills are good');
});

test.each([
  ["Do $ARGUMENTS, then $ARGUMENTS.", "$1 x", "Do $1 x, then $1 x."],
  ["Do it.\n", "fast", "Do it.\n\nARGUMENTS: fast\n"],
  ["Do it.\n", "", "Do it.\n"],
])("%j with %j is %j", (body, args, text) => {
  expect(withArguments(body, args)).toBe(text);
});

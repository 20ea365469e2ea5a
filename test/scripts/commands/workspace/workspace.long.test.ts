import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAgentsYaml } from "../../../../workspace/agents/agents-yaml.ts";
import { threadSummarized } from "../../../../workspace/background/thread-summarized.ts";
import { createWorkspace } from "../../../../workspace/workspaces.ts";
import { describeDatabases } from "../../../workspace/temporary-store.ts";
import { openApproval } from "../../../web/api/access/role-cases.ts";
import { ApiSystem, ownerToken } from "../../../web/api/api-system.ts";
import { type Ran, runCortex } from "../../run-command.ts";

describeDatabases((newTarget) => {
  let home: string;
  let system: ApiSystem;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "workspace-"));
    system = await ApiSystem.start(await newTarget());
    await workspace("init", "Garden");
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  });

  /** `cortex workspace` as whoever has this token. */
  const as =
    (token: string) =>
    (...args: string[]): Promise<Ran> =>
      runCortex(home, ["workspace", ...args], { CORTEX_WEB_URL: system.url, CORTEX_WEB_TOKEN: token });
  const workspace = as(ownerToken);
  const json = async <T>(ran: Promise<Ran>): Promise<T> => JSON.parse((await ran).stdout) as T;
  async function invited(name: string): Promise<string> {
    const { stdout, code } = await workspace("invite", name);
    expect(code).toBe(0);
    return stdout.trim();
  }

  test("a workspace command says how to start what doesn't run", async () => {
    const { code, stderr } = await runCortex(home, ["workspace", "list"]);
    expect(code).toBe(69);
    expect(stderr).toContain("nothing runs");
    expect(stderr).toContain("cortex up");
    const nobody = await runCortex(home, ["thread", "list"], {
      CORTEX_WEB_URL: "http://127.0.0.1:1",
      CORTEX_WEB_TOKEN: "x",
    });
    expect(nobody.code).toBe(69);
    expect(nobody.stderr).toContain("127.0.0.1:1");
    const unset = await runCortex(home, ["thread", "list"], { CORTEX_WEB_URL: system.url });
    expect(unset.stderr).toContain("CORTEX_WEB_TOKEN");
    expect(unset.code).toBe(2);
  });

  test("init names the first workspace, finds it again, and makes another", async () => {
    const again = await json<{ created: boolean; agents: string[] }>(workspace("init", "Garden", "--json"));
    expect(again).toMatchObject({ created: false, agents: ["assistant", "coder"] });
    const other = await json<{ created: boolean }>(workspace("init", "Harbor", "--json"));
    expect(other.created).toBe(true);
    const { stdout } = await workspace("list");
    expect(
      stdout
        .split("\n")
        .slice(1)
        .map((line) => line.split(/ {2,}/).slice(1)),
    ).toEqual([
      ["Garden", "admin"],
      ["Harbor", "admin"],
    ]);
  });

  test("an invited member speaks by the token that was shown once, and may do what members may", async () => {
    const token = await invited("Ada");
    const ada = as(token);
    const { stdout } = await ada("list");
    expect(stdout).toMatch(/Garden +member$/m);
    const refused = await ada("invite", "Bob");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("only an admin");
    expect((await workspace("members")).stdout).toMatch(/ Ada +member +mentions$/m);
    expect((await ada("members", "notify", "Ada", "all")).code).toBe(0);
    expect((await workspace("members", "role", "Ada", "admin")).stdout).toMatch(/Ada +admin +all$/m);
    expect((await ada("invite", "Bob", "--role", "member", "--json")).code).toBe(0);
    expect((await workspace("members", "remove", "Ada")).code).toBe(0);
    expect((await ada("members")).stderr).toContain("not a member");
  });

  test("a token is listed by its name alone, and one that was revoked is nobody's", async () => {
    const token = await invited("Cleo");
    const cleo = as(token);
    const second = (await cleo("tokens", "make")).stdout.trim();
    const listed = await cleo("tokens", "list");
    expect(listed.stdout).not.toContain(token);
    const { tokens } = await json<{ tokens: { id: string }[] }>(cleo("tokens", "list", "--json"));
    expect(tokens).toHaveLength(2);
    // An admin sees the same, and ends the first.
    expect((await workspace("tokens", "revoke", tokens[0]?.id ?? "", "--member", "Cleo")).code).toBe(0);
    const states = await Promise.all([token, second].map(async (one) => (await as(one)("list")).code));
    expect(new Set(states)).toEqual(new Set([0, 3]));
    expect((await workspace("tokens", "revoke", "nothing", "--member", "Cleo")).code).toBe(2);
  });

  test("an admin has no token of a member who is in another's workspace, too", async () => {
    const token = await invited("Dora");
    const refused = await as(token)("init", "Dora's own");
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("only the owner")]);
    const { id } = await system.as(token).get<{ id: string }>("/me");
    await createWorkspace(system.store, "Elsewhere", id);
    for (const args of [["list"], ["make"]]) {
      const { code, stderr } = await workspace("tokens", ...args, "--member", "Dora");
      expect(code).toBe(3);
      expect(stderr).toContain("admin of all its workspaces");
    }
  });

  test("agents go to YAML and back, and a difference is named", async () => {
    const file = join(home, "agents.yaml");
    expect((await workspace("agents", "export", file)).code).toBe(0);
    expect(readAgentsYaml(readFileSync(file, "utf8")).map(({ slug }) => slug)).toEqual([
      "_fork-resolver",
      "assistant",
      "coder",
    ]);
    expect((await workspace("agents", "diff", file)).code).toBe(0);

    const changed = readFileSync(file, "utf8").replace("max_tokens: 8192", "max_tokens: 2000");
    const added =
      "  - name: editor\n    slug: editor\n    display_name: Editor\n    system_prompt: You edit.\n    is_active: false\n";
    writeFileSync(file, changed + added);
    const different = await workspace("agents", "diff", file);
    expect(different.code).toBe(1);
    expect(different.stdout).toMatch(/^coder +differs +max_tokens$/m);
    expect(different.stdout).toMatch(/^editor +only in the file/m);

    await workspace("agents", "import", file, "--dry-run");
    expect((await workspace("agents", "diff", file)).code).toBe(1);
    expect((await workspace("agents", "import", file)).stdout).toMatch(/^coder +changed +max_tokens$/m);
    expect((await workspace("agents", "diff", file)).code).toBe(0);
    expect((await workspace("agents")).stdout).toMatch(/^@coder +Coder +- +2 +active/m);
    expect((await workspace("agents")).stdout).toMatch(/^@editor +Editor +- +1 +off/m);

    writeFileSync(file, "agents: [{slug: Not A Slug}]\n");
    const broken = await workspace("agents", "import", file);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toContain("slug");
  });

  test("versions of an agent are shown, one is published again, and the agent is removed", async () => {
    const file = join(home, "poet.yaml");
    const write = (prompt: string) =>
      writeFileSync(
        file,
        `agents: [{ slug: poet, name: poet, display_name: Poet, system_prompt: ${prompt}, max_tokens: 100 }]\n`,
      );
    write("You rhyme.");
    expect((await workspace("agents", "import", file)).code).toBe(0);
    write("You sing.");
    expect((await workspace("agents", "import", file)).code).toBe(0);
    const shown = (await workspace("agents", "versions", "@poet")).stdout;
    expect(shown).toMatch(/^2 .*published +system_prompt$/m);
    const all = await json<{ versions: { config: { system_prompt: string } }[] }>(
      workspace("agents", "versions", "poet", "--json"),
    );
    expect(all.versions.map(({ config }) => config.system_prompt)).toEqual(["You sing.", "You rhyme."]);
    expect((await workspace("agents", "publish", "@poet", "1")).stdout).toContain("@poet answers as version 1");
    expect((await workspace("agents", "versions", "@poet")).stdout).toMatch(/^1 .*published/m);
    expect((await workspace("agents", "publish", "@poet", "9")).code).not.toBe(0);
    expect((await workspace("agents", "publish", "@poet", "first")).stderr).toContain('"first" is no version');
    expect((await workspace("agents", "remove")).stderr).toContain("AGENT is missing");
    const token = await invited("Nils");
    expect((await as(token)("agents", "remove", "@poet")).code).toBe(3);
    expect((await workspace("agents", "remove", "@poet")).stdout).toContain("@poet was removed");
    expect((await workspace("agents", "remove", "@poet")).stderr).toContain('there is no agent "@poet"');
    expect((await workspace("agents", "remove", "_fork-resolver")).stderr).toContain("used by the workspace itself");
    expect((await workspace("agents")).stdout).not.toContain("poet");
  });

  test("the page of a workspace is shown and replaced", async () => {
    const file = join(home, "page.md");
    writeFileSync(file, "We grow beans.\n");
    expect((await workspace("page")).stdout).toBe("the page is empty");
    expect((await workspace("page", file)).code).toBe(0);
    expect((await workspace("page", "--workspace", "Garden")).stdout).toBe("We grow beans.\n");
    writeFileSync(file, "x".repeat(20_000));
    expect((await workspace("page", file)).code).toBe(2);
  });

  test("a workspace command that can't be understood exits 2 and says what was meant", async () => {
    expect((await workspace("invte")).stderr).toContain("did you mean: cortex workspace invite");
    expect((await workspace("invite")).stderr).toContain("NAME is missing");
    expect((await workspace("members", "role", "Nobody", "admin")).stderr).toContain('no member "Nobody"');
    expect((await workspace("list", "--workspace", "x", "y")).code).toBe(2);
    expect((await workspace("agents", "--workspace", "Nowhere")).stderr).toContain("cortex workspace list");
  });

  test("a thread is bound to a group by a code, and a member is told apart there by an admin", async () => {
    const thread = (...args: string[]) =>
      runCortex(home, ["thread", ...args], { CORTEX_WEB_URL: system.url, CORTEX_WEB_TOKEN: ownerToken });
    expect((await thread("post", "--new", "Groups", "hello")).code).toBe(0);
    const bound = await thread("bind", "Groups", "telegram");
    expect(bound.stdout).toMatch(/^\/bind bind-[a-z2-7]{20}$/);
    expect(bound.stderr).toContain('the group of telegram within an hour: that binds it to "Groups"');
    expect((await thread("bind", "Groups", "cli")).code).toBe(2);
    const { bindings } = await json<{ bindings: [{ id: string }] }>(thread("bindings", "--json"));
    expect((await thread("bindings")).stdout).toContain("(its code wasn't said yet)");
    expect(await thread("unbind", bindings[0].id)).toMatchObject({ code: 0, stdout: "no longer bound: telegram" });
    expect(await json(thread("bindings", "--json"))).toEqual({ bindings: [] });
    await invited("Gil");
    const identify = (...args: string[]) => workspace("members", "identify", "Gil", ...args);
    expect((await identify("telegram:17, sms:5")).stdout).toBe("Gil: sms:5, telegram:17");
    expect((await identify("none")).stdout).toBe("Gil: nobody on any channel");
    expect((await identify()).stdout).toBe("Gil: nobody on any channel");
    expect((await identify("17")).code).not.toBe(0);
  });

  test("a member sends a large file with a message, and another saves it, over nothing that is there", async () => {
    const as =
      (token: string) =>
      (...args: string[]) =>
        runCortex(home, ["thread", ...args], { CORTEX_WEB_URL: system.url, CORTEX_WEB_TOKEN: token });
    const [hal, ida] = [as(await invited("Hal")), as(await invited("Ida"))];
    const file = join(home, "plan.txt");
    writeFileSync(file, "rows of beans\n".repeat(100_000));
    expect((await hal("post", "--new", "Files", "--attach", file, "the plan")).code).toBe(0);
    expect((await ida("show", "Files")).stdout).toContain("[plan.txt, text/plain, 1400000 bytes]");
    const copy = join(home, "copy.txt");
    expect((await ida("save", "Files", "plan.txt", copy)).stdout).toBe(`1400000 bytes in ${copy}`);
    expect(readFileSync(copy, "utf8")).toBe(readFileSync(file, "utf8"));
    for (const [args, said] of [
      [["save", "Files", "plan.txt", copy], "is there already"],
      [["save", "Files", "other.txt"], 'no file "other.txt"'],
      [["post", "--new", "Unmade", "--attach", join(home, "nothing"), "x"], "--attach"],
      [["post", "--new", "Unmade", "--attach", home, "x"], "isn't a file"],
    ] as const)
      expect(await ida(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    expect((await ida("list")).stdout).not.toContain("Unmade");
  });

  test("what agents ask is listed and decided once, by whom it is for", async () => {
    const { id } = await system.workspace();
    const ground = { api: system, workspaceId: id, admin: system.owner };
    const first = await openApproval(ground);
    const listed = await workspace("approvals");
    expect(listed.stdout).toMatch(
      new RegExp(
        `^${first.slice(-8)} +Coder +bash +\\{"command":"ls"\\} +for any member, \\S+ left +a rule asks for it$`,
        "m",
      ),
    );
    const allowed = await workspace("approvals", "allow", first.slice(-8), "go ahead");
    expect(allowed).toMatchObject({ code: 0, stdout: "bash is allowed" });
    expect((await workspace("approvals")).stdout).toBe("no agent asks");
    const all = await json<{ approvals: object[] }>(workspace("approvals", "list", "--all", "--json"));
    expect(all.approvals).toMatchObject([{ id: first, status: "allowed", reason: "go ahead" }]);
    expect((await workspace("approvals", "deny", first)).code).toBe(3);
    const second = await openApproval(ground);
    expect((await workspace("approvals", "deny", second)).stdout).toBe("bash is denied");
    expect((await workspace("approvals", "allow")).code).toBe(2);
    expect((await workspace("approvals", "alow", second)).stderr).toContain("cortex workspace approvals allow");
  });

  test("what a workspace is set to is shown, set by its key, and refused with what it could be", async () => {
    const set = (...args: string[]) => workspace("set", ...args);
    const all = await set();
    expect(all).toMatchObject({ code: 0, stdout: expect.stringMatching(/^trust_level +1$/m) });
    for (const [key, typed, said] of [
      ["trust_level", "2", 'trust_level of "Garden" is 2 now'],
      ["budget", "5", 'budget of "Garden" is {"max_cost_usd":5} now'],
      ["budget", '{"max_cost_usd_per_agent": 1}', 'budget of "Garden" is {"max_cost_usd_per_agent":1} now'],
      ["budget", "none", 'budget of "Garden" is none now'],
      ["resolver", "@coder", 'resolver of "Garden" is coder now'],
      ["thread_summaries", "on", 'thread_summaries of "Garden" is on now'],
      ["fork_suggestions", "true", 'fork_suggestions of "Garden" is on now'],
      ["personas", "off", 'personas of "Garden" is off now'],
    ] as const)
      expect([key, await set(key, typed)]).toMatchObject([key, { code: 0, stdout: said }]);
    const rules = [{ action: "bash", requires: "admin", user_id: null, timeout_seconds: 60 }];
    const ruled = await set("approval_rules", JSON.stringify(rules), "--json");
    expect(JSON.parse(ruled.stdout)).toEqual({ ok: true, approval_rules: rules });
    expect(await json(set("--json"))).toEqual({
      name: "Garden",
      trust_level: 2,
      budget: null,
      resolver: "coder",
      approval_rules: rules,
      personas: false,
      thread_summaries: true,
      fork_suggestions: true,
    });
    expect((await set("trust_level")).stdout).toBe("2");
    expect(await system.owner.get(`/workspaces/${(await system.workspace()).id}`)).toMatchObject({
      trust_level: 2,
      settings: { resolver: "coder", approval_rules: rules },
    });
    for (const [args, said, remedy] of [
      [["trust_level", "7"], 'trust_level "7"', "cortex workspace set trust_level 2"],
      [["trust_level", "high"], 'trust_level "high"', "cortex workspace set trust_level 2"],
      [["budget", "-1"], 'budget "-1"', "cortex workspace set budget 5"],
      [["personas", "maybe"], 'personas "maybe"', "cortex workspace set personas on"],
      [["approval_rules", '[{"action": "bash"}]'], "requires", "cortex workspace set approval_rules '["],
      [["resolver", "codr"], 'unknown agent "codr"', "cortex workspace set resolver coder"],
      [["trust", "1"], 'unknown key "trust"', "cortex workspace set --help"],
      [["trust_leve", "1"], 'unknown key "trust_leve"', "cortex workspace set trust_level"],
    ] as const) {
      const refused = await set(...args.filter((arg) => arg !== "-1"), ...(args[1] === "-1" ? ["--", "-1"] : []));
      expect([args, refused.code, refused.stderr]).toEqual([args, 2, expect.stringContaining(said)]);
      expect([args, refused.stderr]).toEqual([args, expect.stringContaining(remedy)]);
    }
    const member = as(await invited("Kai"));
    expect((await member("set", "trust_level")).stdout).toBe("2");
    expect(await member("set", "trust_level", "3")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("admin"),
    });
    for (const [key, typed] of [
      ["trust_level", "1"],
      ["resolver", "_fork-resolver"],
      ["approval_rules", "none"],
    ] as const)
      expect((await set(key, typed)).code).toBe(0);
  });

  test("an agent whose backend works by its own tools isn't brought in, and nothing of its file is", async () => {
    const file = join(home, "claude.yaml");
    const agent = (slug: string, more = "") =>
      `  - {name: ${slug}, slug: ${slug}, display_name: ${slug}, system_prompt: You write.${more}}\n`;
    writeFileSync(file, `agents:\n${agent("poet")}${agent("typist", ", backend: claude")}`);
    const refused = await workspace("agents", "import", file);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('agent "typist": backend "claude"') });
    expect(refused.stderr).toContain("name another one (anthropic, openai,");
    expect((await workspace("agents")).stdout).not.toContain("poet");
  });

  test("a thread that was summed up shows its summary at the top, however long ago it was said, and once", async () => {
    const thread = (...args: string[]) =>
      runCortex(home, ["thread", ...args], { CORTEX_WEB_URL: system.url, CORTEX_WEB_TOKEN: ownerToken });
    expect((await workspace("set", "thread_summaries", "on")).code).toBe(0);
    const posted = await thread("post", "--new", "Beds", "@coder which beds?", "--json");
    const { tasks } = JSON.parse(posted.stdout) as { tasks: { id: string }[] };
    const { store } = system;
    const { id } = await system.workspace();
    const row = await store.database
      .selectFrom("tasks")
      .selectAll()
      .where("id", "=", tasks[0]?.id ?? "")
      .executeTakeFirstOrThrow();
    await store.changes.make(id, (change) => threadSummarized(change, row, "All beds are dug."));
    for (const text of ["one", "two"]) expect((await thread("post", "Beds", text)).code).toBe(0);
    const linesOf = async (...more: string[]) =>
      (await thread("show", "Beds", ...more)).stdout.split("\n").filter((line) => line !== "" && !line.includes(" · "));
    expect(await linesOf("-n", "2")).toEqual(["Beds", "All beds are dug.", "one", "two"]);
    expect(await linesOf()).toEqual(["Beds", "All beds are dug.", "@coder which beds?", "one", "two"]);
    const shown = await json<{ summary: { text: string; metadata: object } }>(
      thread("show", "Beds", "-n", "1", "--json"),
    );
    expect(shown.summary).toMatchObject({ text: "All beds are dug.", metadata: { kind: "summary" } });
    await store.changes.make(id, (change) => threadSummarized(change, row, "All beds are sown."));
    expect((await linesOf("-n", "1"))[1]).toBe("All beds are sown.");
    expect((await workspace("set", "thread_summaries", "off")).code).toBe(0);
  });
});

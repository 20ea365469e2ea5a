/** Tests of how requests are told apart, bounded and made once, on a kind of database. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Message, Thread } from "../../../../workspace/records/thread.ts";
import { filesOf } from "../../../../web/api/journal-files.ts";
import type { Machine } from "../../../../web/machine/machine.ts";
import type { DatabaseTests } from "../../../workspace/temporary-store.ts";
import { awayMachine } from "../away-machine.ts";
import { statusOfLongPost } from "../../../support/network/long-post.ts";
import { ApiSystem, ownerToken } from "../api-system.ts";

const withKey = (key: string) => ({ "Idempotency-Key": key });

export const testRequests: DatabaseTests = (newTarget) => {
  async function started(deps?: Parameters<typeof ApiSystem.start>[1]) {
    const api = await ApiSystem.start(await newTarget(), deps);
    const { id } = await api.workspace();
    const thread = await api.owner.post<Thread>(`/workspaces/${id}/threads`, { title: "Seeds" });
    return { api, id, path: `/threads/${thread.id}/messages`, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
  }

  test("a request with a key is made once and answered the same, also when it is sent many times at once", async () => {
    await using team = await started();
    const { owner } = team.api;
    const body = { text: "once" };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => owner.call("POST", team.path, body, withKey("k1"))),
    );
    const [first] = answers;
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, first?.body]);
    expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true")).toHaveLength(7);
    expect(await owner.get(team.path)).toMatchObject({ items: [{ text: "once" }] });
    const other = await owner.call("POST", team.path, { text: "twice" }, withKey("k1"));
    expect(other).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
    const elsewhere = await owner.call("POST", "/workspaces", { name: "Garden" }, withKey("k1"));
    expect(elsewhere.status).toBe(409);
    expect((await owner.get<{ items: Message[] }>(team.path)).items).toHaveLength(1);
  });

  test("a key is its user's own, and one whose request was refused is still free", async () => {
    await using team = await started();
    const bea = await team.api.invite(team.id, "Bea");
    const ours = await team.api.owner.call("POST", team.path, { text: "ours" }, withKey("k"));
    const hers = await bea.call("POST", team.path, { text: "hers" }, withKey("k"));
    expect([ours.status, hers.status]).toEqual([201, 201]);
    expect((await bea.call("POST", team.path, {}, withKey("k2"))).status).toBe(400);
    expect((await bea.call("POST", team.path, { text: "now" }, withKey("k2"))).status).toBe(201);
    expect((await bea.call("POST", team.path, { text: "x" }, withKey("two words"))).status).toBe(400);
  });

  test("many requests at once with one key make one workspace", async () => {
    await using team = await started();
    const { owner } = team.api;
    const made = await Promise.all(
      Array.from({ length: 5 }, () => owner.call("POST", "/workspaces", { name: "Garden" }, withKey("w"))),
    );
    expect(new Set(made.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect((await owner.get<{ items: unknown[] }>("/workspaces")).items).toHaveLength(2);
  });

  test("what is done outside of the database holds up nobody, however long it takes, and is done once", async () => {
    await using away = awayMachine();
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const dismissed: string[] = [];
    const dismiss = async (run: string) => {
      dismissed.push(run);
      begun.resolve();
      await over.promise;
    };
    await using team = await started({ machine: { ...away, now: { dismiss } as unknown as Machine["now"] } });
    const { owner } = team.api;
    const put = (run: string) => owner.call("POST", "/now/dismissed", { run }, withKey("k"));
    const sent = ["1736380800000", "1736380800000", "1736380800001"];
    const waiting = sent.map(put);
    await begun.promise;
    expect((await owner.call("GET", "/me")).status).toBe(200);
    over.resolve();
    // Another request with that key is refused.
    const wanted = sent.map((run) => (run === dismissed[0] ? 204 : 409));
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(wanted);
    const again = await put(dismissed[0] ?? "");
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([204, "true"]);
    expect(dismissed).toHaveLength(1);
  });

  test("a token that was made once is told again to who asked, and isn't in the database", async () => {
    await using team = await started();
    const path = `/workspaces/${team.id}/members`;
    const ada = await team.api.invite(team.id, "Ada", "admin");
    const [first, second] = [
      await ada.call("POST", path, { name: "Bea" }, withKey("invite")),
      await ada.call("POST", path, { name: "Bea" }, withKey("invite")),
    ];
    expect([second.status, second.body]).toEqual([201, first.body]);
    const { token } = first.body as { token: string };
    const rows = await team.api.store.database.selectFrom("idempotency_keys").selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    // With a session of the same user: whoever asked is another one.
    const session = await ada.call("POST", "/session");
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { csrf_token } = session.body as { csrf_token: string };
    const other = await team.api
      .as(null)
      .call("POST", path, { name: "Bea" }, { ...withKey("invite"), Cookie: cookie, "X-CSRF-Token": csrf_token });
    expect([other.status, JSON.stringify(other.body).includes(token)]).toEqual([409, false]);
  });

  test("a session begins with a token, is a cookie that no script reads, changes nothing without its word, and ends", async () => {
    await using team = await started();
    const bea = await team.api.invite(team.id, "Bea");
    const begun = await bea.call("POST", "/session");
    const cookies = begun.headers.get("set-cookie") ?? "";
    expect(begun.status).toBe(201);
    expect(cookies).toMatch(/^cortex_session=cxs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    const Cookie = cookies.split(";")[0] ?? "";
    const browser = team.api.as(null);
    const { csrf_token } = begun.body as { csrf_token: string };
    expect(await browser.call("GET", "/me", undefined, { Cookie })).toMatchObject({
      status: 200,
      body: { name: "Bea" },
    });
    expect((await browser.call("GET", "/session", undefined, { Cookie })).body).toEqual(begun.body);
    const body = { text: "hello" };
    for (const [headers, status] of [
      [{ Cookie }, 403],
      [{ Cookie, "X-CSRF-Token": "x" }, 403],
      [{ Cookie, "X-CSRF-Token": csrf_token, Origin: "http://evil.example" }, 403],
      [{ Cookie, "X-CSRF-Token": csrf_token, Origin: team.api.url }, 201],
      [{ Cookie: `${Cookie}x`, "X-CSRF-Token": csrf_token }, 401],
      [{ Cookie, "X-CSRF-Token": csrf_token, Authorization: "Bearer wrong" }, 401],
    ] as [Record<string, string>, number][])
      expect([headers, (await browser.call("POST", team.path, body, headers)).status]).toEqual([headers, status]);
    const ended = await browser.call("DELETE", "/session", undefined, { Cookie, "X-CSRF-Token": csrf_token });
    expect([ended.status, ended.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expect((await browser.call("GET", "/me", undefined, { Cookie })).status).toBe(401);
    const rows = await team.api.store.database.selectFrom("sessions").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(Cookie.split("=")[1]);
  });

  test("a text of a megabyte is stored as it is, a longer one is refused, and so is what no database keeps", async () => {
    await using team = await started();
    const { owner } = team.api;
    for (const text of ["x".repeat(1024 * 1024), "\u0001".repeat(1_000_000), "ü\n<b>\u202e".repeat(100_000)]) {
      const { message } = await owner.post<{ message: Message }>(team.path, { text });
      expect(message.text === text).toBe(true);
      const { items } = await owner.get<{ items: Message[] }>(`${team.path}?limit=1`);
      expect(items[0]?.text === text).toBe(true);
    }
    expect((await owner.call("POST", team.path, { text: "x".repeat(1024 * 1024 + 1) })).status).toBe(400);
    expect(await owner.call("POST", team.path, { text: "x".repeat(9 * 1024 * 1024) })).toMatchObject({
      status: 413,
      body: { error: { code: "too_large" } },
    });
    for (const text of ["a\0b", "\ud800", ""]) expect((await owner.call("POST", team.path, { text })).status).toBe(400);
  });

  test("whoever is still sending a body that is too long is answered, and not cut off", async () => {
    await using team = await started();
    expect(await statusOfLongPost(`${team.api.url}/api/v1${team.path}`, ownerToken)).toBe(413);
  });

  test("files of messages are stored by their content, and paths of the journal are for the owner", async () => {
    const journal = mkdtempSync(join(tmpdir(), "cortex-files-"));
    try {
      writeFileSync(join(journal, "plan.txt"), "a plan");
      await using team = await started({ files: filesOf(journal) });
      const bea = await team.api.invite(team.id, "Bea");
      const data = Buffer.from("eggs").toString("base64");
      const list = { name: "list.txt", mime: "text/plain", data };
      const { message } = await bea.post<{ message: Message }>(team.path, { text: "", attachments: [list] });
      expect(message.parts).toMatchObject([{ type: "file", name: "list.txt", mime: "text/plain", size: 4 }]);
      expect((await bea.get<{ items: Message[] }>(team.path)).items).toEqual([message]);
      const again = { text: "again", attachments: [{ id: message.parts[0]?.id }] };
      expect(await bea.call("POST", team.path, again)).toMatchObject({
        status: 201,
        body: { message: { parts: message.parts } },
      });
      const byPath = { text: "see", attachments: [{ path: "plan.txt" }] };
      expect(await team.api.owner.call("POST", team.path, byPath)).toMatchObject({
        status: 201,
        body: { message: { parts: [{ name: "plan.txt", size: 6 }] } },
      });
      for (const attachments of [[{ path: "plan.txt" }], [{ data: "?" }], [{ id: "a".repeat(64) }], [{}]])
        expect(await bea.call("POST", team.path, { text: "x", attachments })).toMatchObject({
          status: 400,
          body: { error: { code: "invalid", message: expect.stringContaining("attachments") } },
        });
    } finally {
      rmSync(journal, { recursive: true, force: true });
    }
  });

  test("a member stores a file of many bytes, names it in a message, and reads what is of the workspace, and nothing else", async () => {
    const journal = mkdtempSync(join(tmpdir(), "cortex-files-"));
    try {
      writeFileSync(join(journal, "cortex.json"), JSON.stringify({ attachments: { max_mb: 4 } }));
      await using team = await started({ files: filesOf(journal) });
      const bea = await team.api.invite(team.id, "Bea");
      const files = `/workspaces/${team.id}/attachments`;
      const send = (body: Uint8Array<ArrayBuffer>, query = "", headers: Record<string, string> = {}) =>
        fetch(`${team.api.url}/api/v1${files}${query}`, {
          method: "POST",
          body,
          headers: { Authorization: `Bearer ${bea.token}`, ...headers },
        });
      const content = Buffer.from("beans, ".repeat(300_000));
      const sent = await send(content, "?name=list.txt", { "Content-Type": "text/x-odd" });
      const file = (await sent.json()) as { id: string };
      expect([sent.status, file]).toEqual([
        201,
        {
          type: "file",
          id: expect.stringMatching(/^[0-9a-f]{64}$/),
          name: "list.txt",
          mime: "text/plain",
          size: content.length,
        },
      ]);
      // The same key with the same content is the same request, and with another it isn't.
      const keyed = withKey("upload");
      expect([(await send(content, "", keyed)).status, (await send(content, "", keyed)).status]).toEqual([201, 201]);
      expect((await send(Buffer.from("peas"), "", keyed)).status).toBe(409);
      const { message } = await bea.post<{ message: Message }>(team.path, {
        text: "see",
        attachments: [{ id: file.id }],
      });
      expect(message.parts).toEqual([file]);
      const read = (caller: { token: string | null }, path: string) =>
        fetch(`${team.api.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${caller.token}` } });
      const given = await read(bea, `${files}/${file.id}`);
      expect([given.status, given.headers.get("content-type"), given.headers.get("x-content-type-options")]).toEqual([
        200,
        "text/plain",
        "nosniff",
      ]);
      expect(given.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''list.txt");
      expect(Buffer.from(await given.arrayBuffer()).equals(content)).toBe(true);

      // What stands in the journal, or in the workspace of others, is there for whoever has the content alone.
      const elsewhere = await team.api.owner.post<{ id: string }>("/workspaces", { name: "Elsewhere" });
      const other = await fetch(`${team.api.url}/api/v1/workspaces/${elsewhere.id}/attachments?name=merger.txt`, {
        method: "POST",
        body: "a secret",
        headers: { Authorization: `Bearer ${ownerToken}` },
      });
      const { id: secret } = (await other.json()) as { id: string };
      expect((await read(bea, `${files}/${secret}`)).status).toBe(404);
      expect((await read(bea, `/workspaces/${elsewhere.id}/attachments/${secret}`)).status).toBe(404);
      expect((await bea.call("POST", team.path, { text: "x", attachments: [{ id: secret }] })).status).toBe(400);
      const guessed = await (await send(Buffer.from("a secret"), "?name=mine.txt")).json();
      expect(guessed).toMatchObject({ id: secret, name: "mine.txt" });
      const named = await bea.post<{ message: Message }>(team.path, { text: "x", attachments: [{ id: secret }] });
      expect(named.message.parts).toMatchObject([{ name: "mine.txt" }]);

      for (const [response, status, code] of [
        [await send(Buffer.alloc(4 * 1024 * 1024 + 1, "x")), 413, "too_large"],
        [await send(Buffer.alloc(0)), 400, "invalid"],
        [await send(Buffer.from("\x7fELF\x02\x01\x01")), 400, "invalid"],
        [await send(content, `?name=${"x".repeat(5000)}`), 400, "invalid"],
        [await read(bea, `${files}/..%2f..%2fcortex.json`), 404, "not_found"],
        [await read(bea, `${files}/${"a".repeat(64)}`), 404, "not_found"],
        [await read(bea, `${files}/%00`), 404, "not_found"],
      ] as const)
        expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
      // One that breaks off leaves nothing behind, and is no fault of ours.
      const sending = httpRequest(`${team.api.url}/api/v1${files}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bea.token}`, "Content-Length": 1000 },
      }).on("error", () => {});
      const unfinished = () => readdirSync(join(journal, "attachments")).filter((name) => name.endsWith(".tmp"));
      sending.write("half of it");
      await expect.poll(unfinished).toHaveLength(1);
      sending.destroy();
      await expect.poll(unfinished).toEqual([]);
      expect(team.api.errors).toEqual([]);
    } finally {
      rmSync(journal, { recursive: true, force: true });
    }
  });

  test("bodies that aren't JSON, and addresses that aren't any, are refused in the same shape", async () => {
    await using team = await started();
    const { owner } = team.api;
    for (const [method, path, body, headers, status, code] of [
      ["POST", team.path, "{", {}, 400, "invalid"],
      ["POST", team.path, "[]", {}, 400, "invalid"],
      ["POST", team.path, `{"text":${"[".repeat(70)}${"]".repeat(70)}}`, {}, 400, "invalid"],
      ["POST", team.path, '{"__proto__":{"x":1},"text":"x"}', {}, 400, "invalid"],
      [
        "POST",
        team.path,
        "text=x",
        { "Content-Type": "application/x-www-form-urlencoded" },
        415,
        "unsupported_media_type",
      ],
      ["POST", team.path, "x", { "Content-Type": "text/plain" }, 415, "unsupported_media_type"],
      ["GET", `${team.path}?limit=0`, undefined, {}, 400, "invalid"],
      ["GET", `${team.path}?limit=1&limit=2`, undefined, {}, 400, "invalid"],
      ["GET", `${team.path}?cursor=x`, undefined, {}, 400, "invalid"],
      ["GET", "/threads/nothing", undefined, {}, 404, "not_found"],
      ["GET", `/threads/${"x".repeat(5000)}`, undefined, {}, 400, "invalid"],
      ["GET", "/nowhere", undefined, {}, 404, "not_found"],
      ["PUT", team.path, undefined, {}, 405, "method_not_allowed"],
      ["GET", "/threads/%E0%A4%A", undefined, {}, 400, "invalid"],
    ] as const) {
      const refused = await owner.call(method, path, body, headers);
      expect([method, path, refused.status, refused.body]).toMatchObject([method, path, status, { error: { code } }]);
    }
    expect((await owner.call("PUT", team.path)).headers.get("allow")).toBe("GET, POST");
    expect(team.api.errors).toEqual([]);
  });

  test("a user who asks too often waits, and nobody else", async () => {
    await using team = await started({ requestsPerSecond: 1 });
    const [bea, cem] = [await team.api.invite(team.id, "Bea"), await team.api.invite(team.id, "Cem")];
    // At once, and more than a busy machine's time for them allows.
    const answers = await Promise.all(Array.from({ length: 40 }, () => bea.call("GET", "/me")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(refused[0]?.body).toMatchObject({ error: { code: "rate_limited" } });
    expect((await cem.call("GET", "/me")).status).toBe(200);
  });

  test("a request for another host, or from a page of elsewhere, is refused before anything is looked up", async () => {
    await using team = await started();
    const status = (headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        httpRequest(`${team.api.url}/api/v1/me`, { headers }, (response) => resolve(response.resume().statusCode))
          .on("error", reject)
          .end();
      });
    expect(await status({ Authorization: `Bearer ${ownerToken}`, Host: "evil.example" })).toBe(403);
    expect(await status({ Authorization: `Bearer ${ownerToken}`, Origin: "http://evil.example" })).toBe(403);
    expect(await status({ Authorization: `Bearer ${ownerToken}` })).toBe(200);
  });

  test("a workspace's page has at most 4,000 tokens, in any script", async () => {
    await using team = await started();
    const { api, id } = team;
    const put = async (page: string) => (await api.owner.call("PATCH", `/workspaces/${id}`, { page })).status;
    expect([await put("x".repeat(16_000)), await put("x".repeat(16_001))]).toEqual([200, 400]);
    expect([await put("温".repeat(5333)), await put("温".repeat(5334))]).toEqual([200, 400]);
  });

  test("lists go on behind their cursors to the end", async () => {
    await using team = await started();
    const { api, id } = team;
    for (const name of ["Bea", "Cem", "Dee"]) await api.invite(id, name);
    for (const list of ["members", "agents"]) {
      const { items: all } = await api.owner.get<{ items: { id: string }[] }>(`/workspaces/${id}/${list}`);
      const found: { id: string }[] = [];
      for (let next: string | null = ""; next !== null; ) {
        const query: string = next === "" ? "" : `&cursor=${encodeURIComponent(next)}`;
        const page = await api.owner.get<{ items: { id: string }[]; next: string | null }>(
          `/workspaces/${id}/${list}?limit=1${query}`,
        );
        found.push(...page.items);
        next = page.next;
      }
      expect(found).toEqual(all);
    }
  });
};

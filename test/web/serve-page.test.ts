/** The page as the web program serves it: for whoever is let in, and how one is. */
import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { startPage } from "../page/page-program.ts";
import { runCortexJson } from "../scripts/run-command.ts";

const built = fileURLToPath(new URL("../../dist/page/", import.meta.url));

/** Sent as it is: fetch would make the path a tidy one. */
function askRaw(url: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, path, headers }, (response) => {
      const { statusCode = 0, headers } = response;
      buffer(response).then((body) => resolve({ status: statusCode, headers, body }), reject);
    });
    asked.on("error", reject).end();
  });
}

test("a browser is let in by a link, once, and is served the page from then on; nobody else is served anything but the sign-in", async () => {
  expect(existsSync(`${built}index.html`), "npm run page").toBe(true);
  await using page = await startPage();
  const { url } = page;
  const asset = readdirSync(`${built}assets`).find((name) => name.endsWith(".js")) ?? "";

  for (const path of ["/", "/runs/17", `/assets/${asset}`, "/index.html"]) {
    const refused = await fetch(`${url}${path}`, { headers: { Cookie: "cortex_session=cxs_no" } });
    expect([path, refused.status, refused.headers.get("content-security-policy")]).toEqual([
      path,
      401,
      expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/),
    ]);
    expect(await refused.text()).toContain("<pre>cortex open</pre>");
  }

  const link = await page.link();
  expect(link).toMatch(new RegExp(`^${url}/sign-in\\?code=[\\w-]{43}$`));
  // Whoever only looks, as programs do that preview links, doesn't use it up.
  expect((await fetch(link, { method: "HEAD" })).status).toBe(401);
  const letIn = await fetch(link, { redirect: "manual", headers: { "User-Agent": "Firefox/1 (X11; Linux)" } });
  expect([letIn.status, letIn.headers.get("location"), await letIn.text()]).toEqual([303, "/", ""]);
  const cookies = letIn.headers.get("set-cookie") ?? "";
  expect(cookies).toMatch(/^cortex_session=cxs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  const again = await fetch(link, { redirect: "manual" });
  expect([again.status, again.headers.get("set-cookie")]).toEqual([401, null]);
  expect(await again.text()).toContain("This link has been used");

  const Cookie = cookies.split(";")[0] ?? "";
  const index = await fetch(url, { headers: { Cookie } });
  expect([index.status, index.headers.get("content-type"), index.headers.get("cache-control")]).toEqual([
    200,
    "text/html; charset=utf-8",
    "private, no-cache",
  ]);
  const policy = index.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const text = await index.text();
  expect(text).toContain(`src="/assets/`);
  expect(text).not.toContain("cxs_");
  expect(await (await fetch(`${url}/runs/17`, { headers: { Cookie } })).text()).toBe(text);
  expect((await fetch(`${url}/sign-in`)).status).toBe(401);

  const small = await askRaw(url, `/assets/${asset}`, { Cookie, "Accept-Encoding": "gzip, br" });
  expect([small.status, small.headers["content-encoding"], small.headers["cache-control"]]).toEqual([
    200,
    "br",
    "private, max-age=31536000, immutable",
  ]);
  const plain = await askRaw(url, `/assets/${asset}`, { Cookie, "Accept-Encoding": "br;q=0" });
  expect([plain.headers["content-encoding"], plain.body.equals(brotliDecompressSync(small.body))]).toEqual([
    undefined,
    true,
  ]);
  for (const path of ["/assets/../index.html.br", "/assets/%2e%2e%2findex.html", "/assets/..%5c..%5cpackage.json"])
    expect([path, (await askRaw(url, path, { Cookie })).body.includes("devDependencies")]).toEqual([path, false]);
  const manifest = await askRaw(url, "/manifest.webmanifest", { Cookie });
  expect(manifest.headers["content-type"]).toBe("application/manifest+json");
  const { icons } = JSON.parse(manifest.body.toString()) as { icons: { src: string }[] };
  for (const { src } of icons)
    expect((await askRaw(url, src, { Cookie })).headers["content-type"]).toBe("image/svg+xml");
  expect((await askRaw(url, "/assets/none.js", { Cookie })).status).toBe(404);
  expect((await askRaw(url, "/", { Cookie, Host: "evil.example" })).status).toBe(403);
  expect(page.log).not.toContain("cxs_");
});

test("a session of the owner's may ask the channel's own routes, for a change with its word alone, and is a device that can be revoked", async () => {
  await using page = await startPage();
  const { url } = page;
  const { code, document } = await runCortexJson(page.journal, ["open"], {
    CORTEX_WEB_URL: url,
    CORTEX_WEB_TOKEN: page.token,
  });
  expect([code, document]).toEqual([
    0,
    {
      url: expect.any(String),
      public_url: null,
      expires_at: expect.any(String),
    },
  ]);
  const agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Version/17.4 Mobile/15E148 Safari/604.1";
  const letIn = await fetch(String(document["url"]), { redirect: "manual", headers: { "User-Agent": agent } });
  const Cookie = (letIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const body = method === "POST" ? { body: "{}" } : {};
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Cookie, ...(method === "POST" ? { "Content-Type": "application/json" } : {}), ...headers },
      ...body,
    });
    return { status: response.status, text: await response.text() };
  };
  expect((await ask("GET", "/v1/permissions")).status).toBe(200);
  expect((await ask("POST", "/v1/messages")).status).toBe(401);
  const { csrf_token } = JSON.parse((await ask("GET", "/api/v1/session")).text) as { csrf_token: string };
  const word = { "X-CSRF-Token": csrf_token };
  expect((await ask("POST", "/v1/messages", word)).status).toBe(400);
  expect((await ask("GET", "/v1/permissions", { Cookie: "cortex_session=cxs_x" })).status).toBe(401);

  const { items } = JSON.parse((await ask("GET", "/api/v1/sessions")).text) as { items: Record<string, unknown>[] };
  expect(items).toEqual([expect.objectContaining({ device: "Safari on iPhone", is_this: true })]);
  expect((await ask("DELETE", `/api/v1/sessions/${"0".repeat(32)}`, word)).status).toBe(404);
  expect((await ask("DELETE", `/api/v1/sessions/%25`, word)).status).toBe(404);
  expect((await ask("DELETE", `/api/v1/sessions/${String(items[0]?.["id"])}`, word)).status).toBe(204);
  expect((await ask("GET", "/v1/permissions")).status).toBe(401);
  expect((await ask("GET", "/")).status).toBe(401);
});

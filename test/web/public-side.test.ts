/** The page behind a proxy with TLS: who is answered there, and how a browser is let in. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { secret, secretFile } from "../channels/channel-system.ts";
import { startPage } from "../page/page-program.ts";

const address = "https://cortex.example";
/** The headers that the proxy sends along. */
const proxied = { Host: "cortex.example", "X-Forwarded-Proto": "https" };

type Sent = { method?: string; headers?: Record<string, string>; body?: string };

/** By http, since fetch sets Host itself. */
function send(url: string, path: string, { method = "GET", headers = {}, body }: Sent) {
  return new Promise<{ status: number; cookie: string; location: string | undefined; text: string }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(url);
      const asked = request({ hostname, port, path, method, headers }, (response) => {
        const cookie = response.headers["set-cookie"]?.[0] ?? "";
        const { location } = response.headers;
        text(response).then(
          (read) => resolve({ status: response.statusCode ?? 0, cookie, location, text: read }),
          reject,
        );
      });
      asked.on("error", reject).end(body);
    },
  );
}

test("a browser at the public address needs the link and the password, over TLS, and a link is good for five tries", async () => {
  await using page = await startPage({ public_url: address, password_file: secretFile });
  const pathOf = async () => new URL(await page.link()).href.replace(page.url, "");
  const path = await pathOf();
  const post = (to: string, password: string, more: Record<string, string> = {}) =>
    send(page.url, to, {
      method: "POST",
      headers: { ...proxied, Origin: address, "Content-Type": "application/x-www-form-urlencoded", ...more },
      body: new URLSearchParams({ password }).toString(),
    });

  for (const headers of [
    { Host: "cortex.example" },
    { ...proxied, "X-Forwarded-Proto": "http" },
    { ...proxied, Origin: "http://cortex.example" },
    { ...proxied, Host: "other.example" },
  ])
    for (const to of ["/", path, "/api/v1/me", "/v1/permissions"])
      expect([headers, to, (await send(page.url, to, { headers })).status]).toEqual([headers, to, 403]);
  // What anybody on this machine may ask is for nobody elsewhere.
  for (const to of ["/", "/v1/health", "/openapi.json"])
    expect([to, (await send(page.url, to, { headers: proxied })).status]).toEqual([to, 401]);

  const asked = await send(page.url, path, { headers: proxied });
  expect([asked.status, asked.cookie]).toEqual([200, ""]);
  expect(asked.text).toContain('type="password"');
  expect((await post(path, secret, { Origin: "https://evil.example" })).status).toBe(403);
  expect((await post("/sign-in?code=none", secret)).text).toContain("This link has been used");
  expect((await post(path, "x".repeat(5000))).cookie).toBe("");
  const wrong = await post(path, "wrong");
  expect([wrong.status, wrong.cookie, wrong.text]).toEqual([
    401,
    "",
    expect.stringContaining("That isn’t the password"),
  ]);
  const right = await post(path, secret);
  expect([right.status, right.location]).toEqual([303, "/"]);
  expect(right.cookie).toMatch(
    /^cortex_session=cxs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  const Cookie = right.cookie.split(";")[0] ?? "";
  expect((await send(page.url, "/", { headers: { ...proxied, Cookie } })).status).toBe(200);
  expect((await post(path, secret)).cookie).toBe("");

  const { csrf_token } = JSON.parse(
    (await send(page.url, "/api/v1/session", { headers: { ...proxied, Cookie } })).text,
  ) as {
    csrf_token: string;
  };
  const made = await send(page.url, "/api/v1/session-links", {
    method: "POST",
    headers: { ...proxied, Cookie, Origin: address, "X-CSRF-Token": csrf_token },
  });
  const { url, public_url } = JSON.parse(made.text) as Record<string, string>;
  expect([url, public_url]).toEqual([expect.stringMatching(/^https:\/\/cortex\.example\/sign-in\?code=/), url]);

  const tried = await pathOf();
  // All at once: each is counted.
  const tries = await Promise.all(Array.from({ length: 20 }, (_, index) => post(tried, `guess ${index}`)));
  expect(tries.filter(({ text: said }) => said.includes("That isn’t the password")).length).toBe(4);
  expect((await post(tried, secret)).cookie).toBe("");
  expect(page.log).not.toContain(secret);
});

test("a public address without a password isn't served", async () => {
  await expect(startPage({ public_url: address })).rejects.toThrow("channels.web.password");
  await expect(startPage({ public_url: "http://localhost:1", password_file: secretFile })).rejects.toThrow("https");
});

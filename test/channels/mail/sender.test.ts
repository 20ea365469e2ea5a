/** The sender of a mail is believed by what the receiving server says, and nothing that the mail brings itself. */
import { expect, test } from "vitest";
import { parseAuthenticationResults } from "../../../channels/mail/senders/authentication-results.ts";
import { readHeaders } from "../../../channels/mail/base/headers.ts";
import { ar, believed, mail, pass, plainlyBelieved, received } from "./believed.ts";
import { authserv, ownAddress } from "./written-mail.ts";

test.each([
  ["a signature of the domain", "dkim=pass header.d=garden.example"],
  ["as Gmail writes it", "dkim=pass header.i=@garden.example header.s=2026 header.b=AbC; spf=fail"],
  ["among others", "dkim=fail header.d=garden.example; dkim=pass header.d=garden.example"],
  ["with comments and quotes", 'dkim = pass (2048-bit key; "x=y") header.d="garden.example" reason="good; signature"'],
  ["with versions, in capitals", "DKIM/1=Pass Header.D=Garden.Example"],
  ["SPF", "spf=pass (allowed) smtp.mailfrom=ada@garden.example smtp.helo=x.example"],
  ["SPF with the domain alone", "spf=pass smtp.mailfrom=garden.example"],
])("believed: %s", async (_what, text) => {
  expect(await believed([ar(text), received, ...mail])).toBe(true);
  expect(await plainlyBelieved([ar(text), received, ...mail])).toBe(true);
});

test.each([
  ["no result", "none"],
  ["a signature of another domain", "dkim=pass header.d=evil.example"],
  ["a subdomain", "dkim=pass header.d=evil.garden.example"],
  ["the domain above", "dkim=pass header.d=example"],
  ["one that ends alike", "dkim=pass header.d=notgarden.example"],
  ["a signature that fails", "dkim=fail header.d=garden.example"],
  ["of which nothing is known", "dkim=neutral header.d=garden.example"],
  ["SPF of another sender", "spf=pass smtp.mailfrom=mallory@evil.example"],
  ["SPF of a greeting", "spf=pass smtp.helo=garden.example"],
  ["a name with the domain in a comment", "dkim=pass (header.d=garden.example) header.d=evil.example"],
  ["a quoted end of a result", 'dkim=pass header.d=evil.example reason="x; dkim=pass header.d=garden.example"'],
  ["a second domain behind the first", "dkim=pass header.d=evil.example header.d=garden.example"],
  ["DMARC alone", "dmarc=pass header.from=garden.example"],
  ["a comment that doesn't end", "dkim=pass header.d=garden.example (x"],
  ["a quote that doesn't end", 'dkim=pass header.d=garden.example reason="x'],
])("not believed: %s", async (_what, text) => {
  expect(await believed([ar(text), received, ...mail])).toBe(false);
  expect(await plainlyBelieved([ar(text), received, ...mail])).toBe(false);
});

test("results that the sender wrote count for nothing, whatever they name", async () => {
  // The server has written none, or its own above.
  expect(await believed([received, ar(pass, "evil.example"), ...mail])).toBe(false);
  expect(await believed([ar("dkim=none"), received, ar(pass), ...mail])).toBe(false);
  expect(await believed([ar("dkim=none"), ar(pass), received, ...mail])).toBe(false);
  expect(await believed([ar("spf=fail", "evil.example"), ar(pass), received, ...mail])).toBe(false);
  expect(await believed([ar(pass, `${authserv}.evil.example`), received, ...mail])).toBe(false);
});

test("of several headers of the server, those that stand first count together", async () => {
  const ids = ["spf.harbor.example", "dkim.harbor.example"];
  const lines = [ar("spf=none", ids[0]), ar(pass, ids[1]), received, ...mail];
  expect(await believed(lines, undefined, ids)).toBe(true);
  expect(await believed(lines, undefined, [ids[1] ?? ""])).toBe(false);
  expect(await believed([ar("spf=none"), received, ar(pass), ...mail])).toBe(false);
});

test("nobody is believed by an empty list of servers, and only by what is trusted", async () => {
  expect(await believed([ar(pass), received, ...mail], undefined, [])).toBe(false);
  expect(await believed([ar(pass), received, ...mail], ["spf"])).toBe(false);
  expect(await believed([ar(pass), received, ...mail], [])).toBe(false);
  expect(await believed([ar(pass), received, ...mail], ["dkim"])).toBe(true);
});

test("a mail that was written to somebody else, and is handed on with its signature, is nobody's word", async () => {
  const [from = "", , id = ""] = mail;
  expect(await believed([ar(pass), received, from, "To: mallory@evil.example", id])).toBe(false);
  expect(
    await believed([ar(pass), received, from, "To: b@b.example", `Cc: x@x.example, Cortex <${ownAddress}>`, id]),
  ).toBe(true);
});

test.each([
  ["two From headers", ["From: ada@garden.example", "From: mallory@evil.example"]],
  ["two senders in one", ["From: ada@garden.example, mallory@evil.example"]],
  ["a name without an address", ["From: Ada"]],
  ["an address with a space", ['From: "ada x"@garden.example']],
  ["an address that is only there once it is decoded", ["From: =?utf-8?q?Ada_=3Cada=40garden.example=3E?="]],
  ["none", []],
])("a mail that doesn't name one sender names nobody: %s", async (_what, lines) => {
  const headers = await readHeaders(Buffer.from(`${[...lines, `To: ${ownAddress}`].join("\r\n")}\r\n\r\n`));
  expect(headers.from).toBeNull();
});

test("a name that looks like an address is a name", async () => {
  const headers = await readHeaders(Buffer.from('From: "ada@garden.example" <mallory@evil.example>\r\n\r\n'));
  expect(headers.from).toEqual({ address: "mallory@evil.example", name: "ada@garden.example" });
});

test("addresses are equal whatever their case, and in whatever script their domain is written", async () => {
  const headers = await readHeaders(Buffer.from("From: Ada <Ada@GÄRTEN.example>\r\nTo: CORTEX@Harbor.Example\r\n\r\n"));
  expect(headers).toMatchObject({ from: { address: "ada@xn--grten-gra.example" }, to: [ownAddress] });
});

test("a header is read to its end, and a hostile one at once", () => {
  expect(parseAuthenticationResults("mx.example 1; none")).toEqual({ authservId: "mx.example", results: [] });
  expect(parseAuthenticationResults("; dkim=pass")).toBeNull();
  expect(parseAuthenticationResults("dkim=pass header.d=a.example")).toBeNull();
  for (const text of ["(", '"', ";", "=", " ", "\\", "a=b ", ")("])
    expect(() => parseAuthenticationResults(`mx.example; ${text.repeat(8000)}`)).not.toThrow();
  expect(parseAuthenticationResults(`mx.example; ${"x".repeat(20_000)}`)).toBeNull();
});

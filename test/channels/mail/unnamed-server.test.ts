/** Where the settings name no server, the results are believed that it has put above its own `Received`, and no others. */
import { expect, test } from "vitest";
import { readHeaders } from "../../../channels/mail/base/headers.ts";
import { whyNobody } from "../../../channels/mail/senders/why-nobody.ts";
import type { MailTrust } from "../../../protocol/agents/channels/mail.ts";
import { ar, believed, mail, pass, plainlyBelieved, received } from "./believed.ts";
import { authserv } from "./written-mail.ts";

const lmtp = "Received: from localhost by imap.harbor.example with LMTP; Fri, 09 Jan 2026 10:00:01 +0000";
const returnPath = "Return-Path: <ada@garden.example>";
const spf = "spf=pass smtp.mailfrom=ada@garden.example";

test.each([
  ["on top", [ar(pass), received]],
  ["among others of the server's", [returnPath, "Delivered-To: cortex", ar(pass), "X-Spam: no", received]],
  [
    "folded, and in odd cases",
    [`AUTHENTICATION-results:\r\n ${authserv};\r\n\tdkim=pass\r\n header.d=garden.example`, received],
  ],
  ["in several headers of one server", [ar("spf=fail"), ar(pass), received]],
  ["above several servers that handed it on", [ar(pass), lmtp, received]],
  ["above a Received in odd cases", [ar(pass), `rEcEiVeD:\r\n from mail.garden.example\r\n by ${authserv}`]],
])("believed: %s", async (_what, lines) => {
  expect(await plainlyBelieved([...lines, ...mail])).toBe(true);
});

test.each([
  ["below the server's Received", [received, ar(pass)]],
  ["below a Received in odd cases", [`RECEIVED:\r\n by ${authserv}`, ar(pass), received]],
  ["below a Received without a word", ["Received:", ar(pass), received]],
  ["between two servers of the way", [lmtp, ar(pass), received]],
  ["in a mail without any Received", [ar(pass)]],
  ["in a mail that only looks as if it had one", [ar(pass), "X-Received: by mx", "Received-SPF: pass"]],
  ["below an empty one", ["Authentication-Results:", ar(pass), received]],
  ["below one that can't be read", [ar("dkim=pass (x"), ar(pass), received]],
  ["below one that names no server", ["Authentication-Results: dkim=pass header.d=a.example", ar(pass), received]],
  ["of a second server", [ar("dmarc=pass", "dmarc.harbor.example"), ar(pass), received]],
  ["of the server again, behind another", [ar("spf=none"), ar("x=pass", "x.example"), ar(pass), received]],
  ["not directly below the first", [ar("spf=none"), "Received-SPF: none", ar(pass), received]],
  ["another than the first says", [ar("dkim=fail header.d=garden.example"), ar(pass), received]],
  ["as a chain hands them on", [`ARC-Authentication-Results: i=1; ${authserv}; ${pass}`, received]],
  ["as another server found them", [`X-Original-Authentication-Results: ${authserv}; ${pass}`, received]],
])("not believed: results %s", async (_what, lines) => {
  expect(await plainlyBelieved([...lines, ...mail])).toBe(false);
});

test("a server that puts its results below, as Gmail does, is believed once it is named", async () => {
  const gmail = "mx.google.com";
  const lines = [
    "Delivered-To: cortex@harbor.example",
    "Received: by 2002:a05:6402:1 with SMTP id a1; Fri, 09 Jan 2026 02:00:01 -0800 (PST)",
    "X-Received: by 2002:a17:906:1 with SMTP id b2; Fri, 09 Jan 2026 02:00:00 -0800 (PST)",
    `ARC-Authentication-Results: i=1; ${gmail};\r\n       ${pass}`,
    returnPath,
    `Received: from mail.garden.example\r\n        by ${gmail} with ESMTPS id c3; Fri, 09 Jan 2026 02:00:00 -0800 (PST)`,
    "Received-SPF: pass (google.com: domain of ada@garden.example designates 192.0.2.1 as permitted sender)",
    `Authentication-Results: ${gmail};\r\n       dkim=pass header.i=@garden.example header.s=2026;\r\n       ${spf}`,
  ];
  expect(await plainlyBelieved([...lines, ...mail])).toBe(false);
  expect(await believed([...lines, ...mail], undefined, [gmail])).toBe(true);
});

test("a server that is named wins: no other is believed, wherever it stands", async () => {
  expect(await believed([ar(pass, "mx.example"), received, ...mail])).toBe(false);
  expect(await believed([ar(pass), received, ...mail], undefined, [])).toBe(false);
});

test("whatever three headers a sender writes, they make nobody believed, nor anybody unbelieved", async () => {
  const written = [
    ar(pass),
    ar(`${pass}; ${spf}`, "evil.example"),
    `authentication-RESULTS :\r\n\t${authserv} ;\r\n ${pass}`,
    `Authentication-Results:\r\n ${authserv}; ${spf}`,
    "Authentication-Results:",
    "Authentication-Results",
    received,
    `RECEIVED :\r\n by ${authserv}`,
    "Received",
    `ARC-Authentication-Results: i=1; ${authserv}; ${pass}`,
  ];
  const threes = written.flatMap((a) => written.flatMap((b) => written.map((c) => [a, b, c])));
  const silent = [[], [returnPath], [`ARC-Authentication-Results: i=1; ${authserv}; ${pass}`]];
  const unsure = [
    [ar("none")],
    [ar("dkim=none; spf=softfail smtp.mailfrom=garden.example")],
    ["Authentication-Results:"],
  ];
  for (const own of [...silent, ...unsure])
    for (const three of threes) expect(await plainlyBelieved([...own, received, ...three, ...mail])).toBe(false);
  for (const three of threes) expect(await plainlyBelieved([ar(pass), received, ...three, ...mail])).toBe(true);
});

test("why nobody can be believed is said by the settings first, then by the mail", async () => {
  const why = async (lines: string[], trust: MailTrust[] = ["dkim"], authservIds?: string[]) =>
    whyNobody((await readHeaders(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`))).all, { trust, authservIds });
  expect(await why([ar(pass), received], [])).toContain("channels.mail.trust");
  expect(await why([ar(pass), received], ["dkim"], [])).toContain("channels.mail.authserv_ids");
  expect(await why([received], ["dkim"], [authserv])).toBeNull();
  expect(await why([ar(pass), received])).toBeNull();
  expect(await why([ar("dkim=fail"), received])).toBeNull();
  for (const lines of [[received, ar(pass)], [ar(pass)], [ar("dmarc=pass"), received], [ar(spf), received]])
    expect(await why(lines)).toContain("above the first Received");
});

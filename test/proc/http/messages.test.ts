import { expect, test } from "vitest";
import { PlainHeaders } from "../../../proc/http/headers.ts";
import { PlainResponse } from "../../../proc/http/response.ts";

test("headers do as the platform's do", () => {
  const told = [PlainHeaders, Headers].map((Kind) => {
    const headers = new Kind([
      ["X-B", " 2\t"],
      ["Set-Cookie", "a=1"],
      ["x-a", "1"],
    ]);
    headers.append("x-b", "3");
    headers.append("set-cookie", "b=2");
    headers.set("X-C", "ü");
    headers.set("x-d", "4");
    headers.delete("X-D");
    const walked: unknown[] = [];
    headers.forEach((value, name) => walked.push([name, value]));
    return {
      walked,
      entries: [...headers.entries()],
      pairs: [...headers],
      keys: [...headers.keys()],
      values: [...headers.values()],
      copied: [...new Kind(headers)],
      got: ["X-b", "x-d", "set-cookie"].map((name) => [headers.get(name), headers.has(name)]),
      cookies: headers.getSetCookie(),
      record: [...new Kind({ One: "1", two: "2" })],
      none: [...new Kind()],
    };
  });
  expect(told[0]).toEqual(told[1]);
});

test.each([
  ["", "1"],
  ["a b", "1"],
  ["a\nb", "1"],
  ["ü", "1"],
  ["a", "1\n2"],
  ["a", "1\r2"],
  ["a", "1\u00002"],
  ["a", "☃"],
])("a header %j: %j is refused, as by the platform's", (name, value) => {
  for (const Kind of [PlainHeaders, Headers]) expect(() => new Kind({ [name]: value })).toThrow(TypeError);
});

const bodies: [what: string, body: () => ConstructorParameters<typeof PlainResponse>[0]][] = [
  ["nothing", () => null],
  ["text", () => '{"a":"ü"}'],
  ["bytes", () => new TextEncoder().encode('{"a":"ü"}')],
  ["a stream", () => new Response('{"a":"ü"}').body],
];
test.each(bodies)("an answer of %s is read as the platform's, and once", async (_, body) => {
  const all = await Promise.all(
    [PlainResponse, Response].map(async (Kind) => {
      const init = { status: 404, statusText: "Not", headers: { "x-a": "1" } };
      const make = () => new Kind(body() as string | null, init);
      const response = make();
      const { status, statusText, ok, bodyUsed, url, redirected } = response;
      const copy = response.clone();
      const told = {
        fields: { status, statusText, ok, bodyUsed, url, redirected, header: response.headers.get("X-A") },
        text: await response.text(),
        copied: await copy.text(),
        bytes: [...(await make().bytes())],
        length: (await make().arrayBuffer()).byteLength,
        size: (await make().blob()).size,
        json: await make()
          .json()
          .catch((error: Error) => error.name),
        usedBefore: response.body !== null && response.bodyUsed,
      };
      return { ...told, again: await response.text().catch((error: Error) => error.name) };
    }),
  );
  expect(all[0]).toEqual(all[1]);
});

test("a status that was never given is 200", () => {
  expect(new PlainResponse("a")).toMatchObject({ status: 200, ok: true });
});

/** Which parts of a mail are its text, and which are files. */
import type { MessageStructureObject } from "imapflow";
import { expect, test } from "vitest";
import { partsOf } from "../../../channels/mail/content/structure.ts";

const leaf = (
  part: string | undefined,
  type: string,
  more: Partial<MessageStructureObject> = {},
): MessageStructureObject => ({
  ...(part !== undefined && { part }),
  type,
  encoding: "7bit",
  size: 10,
  ...more,
});
const multipart = (kind: string, childNodes: MessageStructureObject[]): MessageStructureObject => ({
  type: `multipart/${kind}`,
  childNodes,
});

test("a mail of one part is its text; one that is a file alone is a file", () => {
  expect(
    partsOf(leaf(undefined, "text/plain", { parameters: { charset: "iso-8859-1" }, encoding: "QUOTED-PRINTABLE" })),
  ).toEqual({
    texts: [
      {
        part: null,
        isHtml: false,
        mimeHeaders:
          'Content-Type: text/plain; charset="iso-8859-1"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n',
      },
    ],
    files: [],
  });
  expect(partsOf(leaf(undefined, "application/pdf"))).toMatchObject({
    texts: [],
    files: [{ part: null, name: "file-1" }],
  });
  expect(partsOf(undefined)).toEqual({ texts: [], files: [] });
});

test("the text without markup comes first, pictures within it are files, and a mail within a mail is one", () => {
  const related = multipart("related", [
    leaf("1.2.1", "text/html"),
    leaf("1.2.2", "image/png", {
      disposition: "inline",
      dispositionParameters: { filename: "rose.png" },
      encoding: "base64",
      size: 104_000,
    }),
  ]);
  const { texts, files } = partsOf(
    multipart("mixed", [
      multipart("alternative", [leaf("1.1", "text/plain"), related]),
      leaf("2", "text/plain", { disposition: "attachment" }),
      leaf("3", "text/plain", { parameters: { name: "notes.txt" } }),
      leaf("4", "message/rfc822", { childNodes: [leaf("4.1", "text/plain")] }),
    ]),
  );
  expect(texts.map(({ part, isHtml }) => [part, isHtml])).toEqual([
    ["1.1", false],
    ["1.2.1", true],
  ]);
  expect(files.map(({ part, name }) => [part, name])).toEqual([
    ["1.2.2", "rose.png"],
    ["2", "file-2"],
    ["3", "notes.txt"],
    ["4", "mail.eml"],
  ]);
  expect(files[0]?.size).toBe(76_000);
});

test("a structure that is hostile is looked at up to a bound, and adds no header", () => {
  let deep = leaf("1", "text/plain");
  for (let depth = 0; depth < 5000; depth++) deep = multipart("mixed", [deep]);
  expect(partsOf(deep)).toEqual({ texts: [], files: [] });
  const wide = multipart(
    "mixed",
    Array.from({ length: 5000 }, (_, n) => leaf(String(n), "image/png")),
  );
  expect(partsOf(wide).files).toHaveLength(200);
  const [text] = partsOf(
    leaf("1", "text/plain", { parameters: { charset: 'x"\r\nX-Evil: y' }, encoding: "x\r\ny" }),
  ).texts;
  expect(text?.mimeHeaders).toBe(
    'Content-Type: text/plain; charset="xX-Evil:y"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n',
  );
});

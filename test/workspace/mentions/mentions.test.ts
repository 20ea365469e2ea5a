import { expect, test } from "vitest";
import { mentionsIn } from "../../../workspace/mentions/mentions.ts";

const slugs = (text: string) => mentionsIn(text).map(({ slug }) => slug);

test.each([
  ["@coder fix it", ["coder"]],
  ["please, @Coder.", ["coder"]],
  ["(@coder) and @ASSISTANT's view?", ["coder", "assistant"]],
  ["@coder @coder @coder", ["coder"]],
  ["ask @fork-helper now", ["fork-helper"]],
  ["line one\n@coder", ["coder"]],
  ["**@coder**, look", ["coder"]],
  ["问@coder吗", []],
  ["问 @coder，好吗", ["coder"]],
  ["an address: me@coder.com, @coder.com", []],
  ["the package @coder/tools", []],
  ["@@coder and @coder@host", []],
  ["@_fork-resolver sum it up", []],
  ["@coder_two", []],
  ["`@coder` and ``a ` @coder``", []],
  ["```ts\n@coder\n```\n@assistant", ["assistant"]],
  ["```\n@coder without an end", []],
  ["~~~\n@coder\n~~~\n", []],
  ["[ask @coder](https://x.test/@coder)", []],
  ["see https://x.test/@coder?u=@coder and <https://x.test/@coder>", []],
  ["mail <a@coder.test>", []],
  ["mailto:@coder and www.x.test/?u=@coder", []],
  ["", []],
])("%j mentions %j", (text, expected) => {
  expect(slugs(text)).toEqual(expected);
});

test("a mention behind `then` begins on what the one before answers", () => {
  expect(mentionsIn("@coder write it, then @reviewer check it, then: @assistant sum up; @other too")).toEqual([
    { slug: "coder", isAfterPrevious: false },
    { slug: "reviewer", isAfterPrevious: true },
    { slug: "assistant", isAfterPrevious: true },
    { slug: "other", isAfterPrevious: false },
  ]);
  expect(mentionsIn("then @coder")).toEqual([{ slug: "coder", isAfterPrevious: false }]);
});

test.each(["`", "` ", "a.", "@a then ", "[", "[](", "@a-", "```\n", "<a:"])("a text of 200,000 %j is read", (piece) => {
  expect(mentionsIn(piece.repeat(200_000)).length).toBeLessThanOrEqual(1);
});

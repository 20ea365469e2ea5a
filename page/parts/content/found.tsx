/** A text with the words marked that were searched for. */
import { foundWords } from "../../words/text/found-words.ts";

export function Found({ text, words }: { text: string; words: string }) {
  return (
    <>
      {foundWords(text, words).map(({ text: piece, isFound }, index) =>
        isFound ? <mark key={index}>{piece}</mark> : piece,
      )}
    </>
  );
}

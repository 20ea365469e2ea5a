/** The files of a message: pictures are shown, others named with their size. Each can be saved. */
import type { Message } from "../../../stores/workspace/place-store.ts";
import { addressOfFile } from "../../../stores/workspace/thread-actions.ts";
import { sizeOf } from "../../../words/amounts/money.ts";
import { visible } from "../../../words/text/visible-text.ts";

const pictures = /^image\/(?:png|jpeg|gif|webp|avif)$/;
/** Larger ones are named alone, in bytes. */
const largestPicture = 5_000_000;

export function Files({ workspace, files }: { workspace: string; files: Message["parts"] }) {
  if (files.length === 0) return null;
  return (
    <ul class="post-files">
      {files.map(({ id, name, mime, size }) => (
        <li key={id}>
          <a class="file-link" href={addressOfFile(workspace, id)} download={name}>
            {pictures.test(mime) && size <= largestPicture && (
              <img src={addressOfFile(workspace, id)} alt="" loading="lazy" />
            )}
            <bdi class="cut">{visible(name)}</bdi>
            <span class="ink-3">{sizeOf(size)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

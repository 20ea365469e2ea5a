/** Follows a file that another process appends to. Woken by the system when it is quiet, by a short timer when it is busy. */
import { watch } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Bytes that are read at once: few while little comes, since most of those who are followed say nothing most of the
 * time.
 */
const leastBytes = 8 * 1024;
const mostBytes = 256 * 1024;
/** After data came, more is likely: looking again soon costs less than being woken for each line. */
const busyMs = 2;
/** The delay after which a change is found that the system didn't tell. */
const quietMs = 500;

/**
 * Yields what is appended from `offset` on, until `ended` has settled and the file is read to its end.
 * A chunk is valid until the next one is asked for.
 */
export async function* follow(path: string, offset: number, ended: Promise<unknown>): AsyncGenerator<Buffer> {
  let isEnded = false;
  let isChanged = false;
  let wake = () => {};
  const end = () => {
    isEnded = true;
    wake();
  };
  ended.then(end, end); // before anything is waited for: it may fail meanwhile
  const file = await open(path, "r");
  const watcher = watchIfPossible(path, () => {
    isChanged = true;
    wake();
  });
  try {
    let buffer = Buffer.allocUnsafeSlow(leastBytes);
    let position = offset;
    let isBusy = false;
    for (;;) {
      const isLast = isEnded;
      isChanged = false;
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead > 0) {
        position += bytesRead;
        isBusy = true;
        yield buffer.subarray(0, bytesRead);
        if (bytesRead === buffer.length && bytesRead < mostBytes) buffer = Buffer.allocUnsafeSlow(mostBytes);
        continue;
      }
      if (isLast) return;
      if (isBusy) {
        isBusy = false;
        await delay(busyMs);
      } else if (!isChanged && !isEnded) {
        if (buffer.length > leastBytes) buffer = Buffer.allocUnsafeSlow(leastBytes);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, quietMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = () => {};
      }
    }
  } finally {
    watcher?.close();
    await file.close();
  }
}

/** Without a free watch (the system has a limit) the timer alone has to do. */
function watchIfPossible(path: string, onChange: () => void) {
  try {
    return watch(path, onChange).on("error", () => {});
  } catch {
    return null;
  }
}

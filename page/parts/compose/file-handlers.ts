/** Handlers of an element that takes files which are dropped or pasted. */
type FileHandlers = { onDrop: (event: DragEvent) => void; onPaste: (event: ClipboardEvent) => void };

/** Text is left to the field: it is dropped and pasted as everywhere. */
export function fileHandlers(onFiles: (files: Iterable<File>) => void): FileHandlers {
  const take = (event: Event, files: FileList | undefined) => {
    if (!files || files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  };
  return {
    onDrop: (event) => take(event, event.dataTransfer?.files),
    onPaste: (event) => take(event, event.clipboardData?.files),
  };
}

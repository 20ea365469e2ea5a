/** A file that isn't taken into the store, or can't be read from it. Its message says why, in words for whoever sent it. */
export class AttachmentError extends Error {
  override name = "AttachmentError";
}

export class AttachmentTooLargeError extends AttachmentError {
  override name = "AttachmentTooLargeError";
}

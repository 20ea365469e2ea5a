/** Headers of what the page is made of: what it may load and run, and who may show it. Pure. */

/** Nothing but our own files; no script or style within a document; text becomes markup by a policy of ours alone. */
const rules = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types cortex-worker dompurify",
];

const always = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "X-Frame-Options": "DENY",
};

/** The headers of the app. */
export const pageHeaders = { ...always, "Content-Security-Policy": rules.join("; ") };

/** The headers of a document without any script, whose one style has this SHA-256 in base64. */
export const plainHeaders = (styleHash: string) => ({
  ...always,
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
});

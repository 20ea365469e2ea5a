/** The page of whoever isn't let in yet: it says how one gets in. No script, and nothing of the journal. */
import { createHash } from "node:crypto";
import { plainHeaders } from "./page-headers.ts";

/** The words of the page, by why it is shown. */
const reasons = {
  none: { status: 401, title: "Sign in", text: "This browser isn't let in yet. Make a link for it at the terminal:" },
  used: {
    status: 401,
    title: "This link has been used, or is too old",
    text: "A link lets one browser in, once, within ten minutes. Make another at the terminal:",
  },
  away: {
    status: 503,
    title: "Not now",
    text: "The database of sessions can't be opened, so nobody can be let in. See why at the terminal:",
  },
  unbuilt: { status: 503, title: "The page isn't built", text: "Its files are missing. Make them in the checkout:" },
} as const;

const commands = { none: "cortex open", used: "cortex open", away: "cortex logs channel-web", unbuilt: "npm run page" };

export type SignInReason = keyof typeof reasons;

const style = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#fbfaf7, #14161a); color: light-dark(#1b1c1e, #ecebe7); font: 15px/24px -apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", "Liberation Sans", system-ui, sans-serif; }
main { max-width: 26rem; padding: 24px; }
p { margin: 0; color: light-dark(#50524f, #b9b8b2); }
.brand { font-weight: 600; color: inherit; }
h1 { margin: 20px 0 4px; font-size: 20px; line-height: 28px; }
pre { margin: 16px 0; padding: 10px 12px; background: light-dark(#f4f2ed, #1a1d22); border-radius: 5px; font: 13px/20px ui-monospace, "SF Mono", "Noto Sans Mono", "Liberation Mono", monospace; }
a { color: light-dark(#1d3f66, #a9c8ec); }
form { display: grid; gap: 8px; margin-top: 12px; }
input { font: inherit; padding: 7px 10px; border: 1px solid light-dark(#8b877e, #70757d); border-radius: 5px; background: light-dark(#fff, #1f2228); color: inherit; }
button { font: inherit; justify-self: start; margin-top: 8px; padding: 5px 14px; border: 0; border-radius: 5px; background: light-dark(#1d3f66, #a9c8ec); color: light-dark(#fff, #11161d); }
[role=alert] { color: light-dark(#b3261e, #ff8d80); }
`;
const headers = {
  ...plainHeaders(createHash("sha256").update(style).digest("base64")),
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
};

/** The whole of an answer. */
export type PageAnswer = { status: number; headers: Record<string, string>; body: string | Buffer };

/**
 * Opens an address again from a page of ours. A navigation from elsewhere comes without the cookie, which is for our own pages
 * (SameSite=Strict); this one brings it.
 */
export const againAnswer = {
  status: 200,
  headers: { ...headers, Refresh: "0" },
  body: "<!doctype html><title>Cortex</title>\n",
};

/** Says how one gets in. */
export function signInAnswer(reason: SignInReason): PageAnswer {
  const { status, title, text } = reasons[reason];
  const rest = `<p>${text}</p>
<pre>${commands[reason]}</pre>
<p>Signed in already? <a href="/">Open the page</a>.</p>`;
  return documentOf(status, title, rest);
}

/** Asks for the password, at the address of the link. */
export function passwordAnswer(wasWrong: boolean): PageAnswer {
  const wrong = wasWrong ? '<p role="alert">That isn’t the password. A link is good for five tries.</p>' : "";
  const rest = `<form method="post">
<label for="password">The page’s password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>
${wrong}
<button>Sign in</button>
</form>`;
  return documentOf(wasWrong ? 401 : 200, "Sign in", rest);
}

function documentOf(status: number, title: string, rest: string): PageAnswer {
  const challenge: Record<string, string> = status === 401 ? { "WWW-Authenticate": 'Bearer realm="cortex"' } : {};
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Cortex</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="brand">Cortex</p>
<h1>${title}</h1>
${rest}
</main>
</body>
</html>
`;
  return { status, headers: { ...headers, ...challenge }, body };
}

// Tells of what happens while the page isn't open. What comes holds a kind and where it leads, and nothing of any content.
const words = {
  decision: "Something waits for your answer.",
  failed: "A run has failed.",
  budget: "A limit is near.",
  night: "The scheduled runs are over.",
  try: "This browser is told of what happens.",
};

addEventListener("push", (event) => {
  let told = {};
  try {
    told = event.data.json();
  } catch {}
  const text = Object.hasOwn(words, told.kind) ? words[told.kind] : "Something has happened.";
  // The same comes again when it isn't known whether it arrived: it is shown once.
  const options = { body: text, tag: String(told.tag ?? ""), icon: "/icon.svg", data: { to: String(told.to ?? "/") } };
  event.waitUntil(registration.showNotification("Cortex", options));
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = new URL(event.notification.data.to, location.origin);
  const address = to.origin === location.origin ? to.href : location.origin;
  event.waitUntil(show(address));
});

/** In a page that is open, else in one of its own. */
async function show(address) {
  const [page] = await clients.matchAll({ type: "window" });
  if (!page) return clients.openWindow(address);
  await page.focus();
  return page.navigate(address);
}

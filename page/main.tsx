/** The page in a browser: everything begins here. */
// The ground first: parts stand on it, and say otherwise where they have to.
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/print.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme } from "./stores/browser/theme.ts";

applyTheme();
const root = document.getElementById("app");
if (root) render(<App />, root);

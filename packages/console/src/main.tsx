// The console's beginning: composes its parts and puts them on the page.

import { createClient } from "@framerail/client";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.jsx";
import { browserStorage } from "./app/browser-storage.js";
import { createConsoleApp } from "./app/console-app.js";
import { createConsoleServer } from "./app/server.js";
import { createConnectionReports } from "./connection/connection-reports.js";
import { consolePage } from "./connection/page-sight.js";
import { CONVERSATIONS_KEY, createConversationStore } from "./sessions/stored-conversations.js";
import { applyTheme, readTheme } from "./theme/theme.js";

const url = location.origin;
const reports = createConnectionReports();
const store = createConversationStore({
  storage: browserStorage,
  watchOthers: (onChange) =>
    addEventListener("storage", ({ key }) => {
      if (key === CONVERSATIONS_KEY || key === null) onChange();
    }),
});
const app = createConsoleApp({
  // The console is where errors are looked at, so it shows their codes.
  client: createClient({ url, showErrors: true, page: consolePage, onReport: reports.take }),
  server: createConsoleServer(url),
  store,
  reports,
  newId: () => crypto.randomUUID(),
  now: () => Date.now(),
  showId: (id) => history.replaceState(null, "", `#${id}`),
});

const openNamed = () => app.open(location.hash.slice(1));
addEventListener("hashchange", openNamed);
openNamed();
applyTheme(document.documentElement, readTheme(browserStorage));

const root = document.getElementById("console");
if (root !== null) createRoot(root).render(<App app={app} />);

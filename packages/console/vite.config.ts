// How the console is built: into the program's own folder, from the sources of the packages it uses.

import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^@framerail\/protocol\/schema$/, replacement: at("../protocol/src/schema/index.ts") },
      { find: /^@framerail\/protocol$/, replacement: at("../protocol/src/index.ts") },
      { find: /^@framerail\/client\/react$/, replacement: at("../client/src/react/index.ts") },
      { find: /^@framerail\/client$/, replacement: at("../client/src/index.ts") },
    ],
  },
  build: {
    outDir: at("../framerail/dist/console"),
    emptyOutDir: true,
    target: "es2022",
    // What would be written into the page is refused by its own policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

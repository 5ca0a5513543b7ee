// Whether somebody sees the page, as the client wants to know it; and a push when the network is back.
//   V1. A browser without a network still reaches a server on its own machine, so being offline cuts nothing by itself.
//   V2. Once the network is back nobody waits for the next attempt: readers leave and come back at once.

import type { Page } from "@framerail/client";

export const consolePage: Page = {
  watch(onChange) {
    const onSight = () => onChange(document.visibilityState === "hidden" ? "hidden" : "visible");
    const onGone = () => onChange("gone");
    const onOnline = () => {
      onGone();
      onSight();
    };
    document.addEventListener("visibilitychange", onSight);
    addEventListener("pagehide", onGone);
    addEventListener("pageshow", onSight);
    addEventListener("online", onOnline);
    return () => {
      document.removeEventListener("visibilitychange", onSight);
      removeEventListener("pagehide", onGone);
      removeEventListener("pageshow", onSight);
      removeEventListener("online", onOnline);
    };
  },
};

// Whether somebody can see the page. A port: browsers have a document, phones have something else, servers have nothing.
//   P1. A page that is left (`gone`) may be frozen at once, or come back from the browser's cache: it counts as hidden.

export type PageSight = "visible" | "hidden" | "gone";

export interface Page {
  /** Tells every change; the returned function ends that. */
  watch(onChange: (sight: PageSight) => void): () => void;
}

/** The browser's page; undefined where there is none. */
export function browserPage(): Page | undefined {
  const { document, addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>;
  if (document === undefined || addEventListener === undefined || removeEventListener === undefined) return undefined;
  return {
    watch(onChange) {
      const onSight = () => onChange(document.visibilityState === "hidden" ? "hidden" : "visible");
      const onGone = () => onChange("gone");
      document.addEventListener("visibilitychange", onSight);
      addEventListener("pagehide", onGone);
      addEventListener("pageshow", onSight);
      return () => {
        document.removeEventListener("visibilitychange", onSight);
        removeEventListener("pagehide", onGone);
        removeEventListener("pageshow", onSight);
      };
    },
  };
}
